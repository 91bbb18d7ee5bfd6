import type { Column } from './endpoint';
import type { PaymentView } from './resources/payment';

/** The CSV columns of the payments log, for an accountant (docs/spec/payments.md, Amounts). */

type Row = Omit<PaymentView, 'payload'>;

/** Whether an amount was paid or refunded; null if there is no amount. */
const directionOf = ({ amount, action }: Pick<Row, 'amount' | 'action'>): 'paid' | 'refunded' | null =>
  amount === null ? null : action.startsWith('refunded') ? 'refunded' : 'paid';

export const paymentColumns: readonly Column<Row>[] = [
  { name: 'received_at', description: 'When the notification arrived.', value: (row) => row.received_at },
  { name: 'occurred_at', description: 'When the processor says that it happened.', value: (row) => row.occurred_at },
  { name: 'processor', description: 'The payment processor.', value: (row) => row.processor },
  { name: 'type', description: "The processor's name of the notification.", value: (row) => row.type },
  { name: 'action', description: 'What it means for the order.', value: (row) => row.action },
  { name: 'status', description: 'Whether it was processed.', value: (row) => row.status },
  { name: 'direction', description: '`paid` or `refunded`; empty if there is no amount.', value: directionOf },
  { name: 'amount', description: "In the currency's minor unit, including tax.", value: (row) => row.amount },
  { name: 'fee', description: "The processor's fee, in the same unit.", value: (row) => row.fee },
  { name: 'currency', description: 'ISO 4217.', value: (row) => row.currency },
  { name: 'country', description: "The buyer's, ISO 3166-1 alpha-2.", value: (row) => row.country },
  {
    name: 'transaction_id',
    description:
      "Rows with the same id and direction report the same money: the largest amount counts. If a row has an amount but this column is empty, another row already reports the money, so don't add this row's amount.",
    value: (row) => row.transaction_id,
  },
  { name: 'order_id', description: 'The order that the buyer knows.', value: (row) => row.order_id },
  { name: 'subscription_id', description: "The processor's id of the subscription.", value: (row) => row.subscription_id },
  { name: 'customer_email', description: "The buyer's address.", value: (row) => row.customer_email },
  { name: 'license_ids', description: 'The licenses of the order, separated by spaces.', value: (row) => row.license_ids.join(' ') },
  { name: 'test', description: 'Whether it is from the test mode.', value: (row) => String(row.test) },
  { name: 'reason', description: 'Why it has this status.', value: (row) => row.reason },
  { name: 'source', description: '`webhook`, or `reconcile` if it was found by reconciling.', value: (row) => row.source },
  { name: 'connection_id', description: 'The payment connection.', value: (row) => row.connection_id },
  { name: 'event_id', description: "The processor's id of the notification.", value: (row) => row.event_id },
  { name: 'id', description: "The row's id.", value: (row) => row.id },
];
