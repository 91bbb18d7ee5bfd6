import type { Column } from './endpoint';
import type { PaymentView } from './resources/payment';

/** The CSV columns of the payments log, for an accountant (docs/spec/payments.md, Amounts). */

type Row = Omit<PaymentView, 'payload'>;

/** Whether an amount was paid or refunded; null if there is no amount. */
const directionOf = ({ amount, action }: Pick<Row, 'amount' | 'action'>): 'paid' | 'refunded' | null =>
  amount === null ? null : action.startsWith('refunded') ? 'refunded' : 'paid';

export const paymentColumns: readonly Column<Row>[] = [
  { name: 'received_at', description: 'When the notification arrived.', value: (row) => row.received_at },
  { name: 'occurred_at', description: 'When the event happened, according to the processor.', value: (row) => row.occurred_at },
  { name: 'processor', description: 'The payment processor.', value: (row) => row.processor },
  { name: 'type', description: 'The type of the notification, as the processor names it.', value: (row) => row.type },
  { name: 'action', description: 'What the notification means for the order.', value: (row) => row.action },
  { name: 'status', description: 'Whether the notification was processed.', value: (row) => row.status },
  { name: 'direction', description: '`paid` or `refunded`; empty if there is no amount.', value: directionOf },
  { name: 'amount', description: "The amount in the currency's minor unit, including tax.", value: (row) => row.amount },
  { name: 'fee', description: "The processor's fee, in the currency's minor unit.", value: (row) => row.fee },
  { name: 'currency', description: 'The currency as an ISO 4217 code.', value: (row) => row.currency },
  { name: 'country', description: "The buyer's country as an ISO 3166-1 alpha-2 code.", value: (row) => row.country },
  {
    name: 'transaction_id',
    description:
      "The processor's id of the payment or refund. Several rows can report the same payment or the same refund. These rows have the same id. To add up amounts, take only the largest amount of each id, separately for payments and refunds. If this column is empty, don't add the amount, because another row reports the same money.",
    value: (row) => row.transaction_id,
  },
  { name: 'order_id', description: 'The id of the order, as the buyer sees it.', value: (row) => row.order_id },
  { name: 'subscription_id', description: "The processor's id of the subscription.", value: (row) => row.subscription_id },
  { name: 'customer_email', description: "The buyer's e-mail address.", value: (row) => row.customer_email },
  { name: 'license_ids', description: 'The licenses of the order, separated by spaces.', value: (row) => row.license_ids.join(' ') },
  { name: 'test', description: "Whether the notification is from the processor's test mode.", value: (row) => String(row.test) },
  { name: 'reason', description: 'Why the notification has its status.', value: (row) => row.reason },
  {
    name: 'source',
    description: "`webhook`: the processor sent the notification. `reconcile`: the service read it from the processor's API.",
    value: (row) => row.source,
  },
  { name: 'connection_id', description: 'The id of the payment connection.', value: (row) => row.connection_id },
  { name: 'event_id', description: "The processor's id of the notification.", value: (row) => row.event_id },
  { name: 'id', description: 'The id of the row.', value: (row) => row.id },
];
