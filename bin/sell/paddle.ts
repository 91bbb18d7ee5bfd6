import { createHmac, randomBytes } from 'node:crypto';
import {
  json,
  linesOf,
  micros,
  monthsAfter,
  paidUntil,
  seconds,
  shopWith,
  ticking,
  totalOf,
  type Message,
  type Order,
  type Shop,
} from './shop';

/** Creates an id: a prefix, an underscore and 26 characters. */
const idOf = (prefix: string, ...parts: readonly (string | number)[]): string =>
  `${prefix}_01${parts.join('').padEnd(24, '0').slice(0, 24)}`;

/** Imitates Paddle Billing. The notification of a sale does not contain the buyer's e-mail address; `customer.created` does. */
export function paddle(now = ticking()): Shop {
  const events: { readonly event_id: string; readonly event_type: string; readonly occurred_at: string; readonly data: object }[] = [];
  const customers = new Map<string, Order>();
  const adjustments = new Map<string, object[]>();

  const event = (event_type: string, data: object): Message => {
    const event = { event_id: idOf('evt', randomBytes(12).toString('hex')), event_type, occurred_at: micros(now()), data };
    events.unshift(event);
    return json(event_type, { ...event, notification_id: idOf('ntf', randomBytes(12).toString('hex')) });
  };
  const ids = (order: Order) => ({
    transaction: idOf('txn', order.key, order.periods),
    subscription: order.recurring ? idOf('sub', order.key) : null,
    customer: idOf('ctm', order.key),
  });
  const price = (order: Order, ref: string): object => ({
    id: ref,
    product_id: `pro_${ref}`,
    billing_cycle: order.recurring ? { interval: 'month', frequency: 1 } : null,
    custom_data: null,
  });
  /** Paddle's fee is a tenth of the amount. */
  const totals = (sum: number): object => ({
    subtotal: String(sum),
    tax: '0',
    total: String(sum),
    fee: String(Math.round(sum / 10)),
    earnings: String(sum - Math.round(sum / 10)),
    currency_code: 'USD',
  });

  const completed = (order: Order): Message => {
    const id = ids(order);
    return event('transaction.completed', {
      id: id.transaction,
      status: 'completed',
      origin: order.periods > 1 ? 'subscription_recurring' : 'web',
      customer_id: id.customer,
      subscription_id: id.subscription,
      custom_data: null,
      currency_code: 'USD',
      billing_period: order.recurring
        ? { starts_at: micros(monthsAfter(order.boughtAt, order.periods - 1)), ends_at: micros(paidUntil(order)) }
        : null,
      items: linesOf(order).map(({ ref, quantity }) => ({ price_id: ref, price: price(order, ref), quantity, proration: null })),
      details: {
        totals: { ...totals(totalOf(order)), grand_total: String(totalOf(order)) },
        line_items: linesOf(order).map(({ ref, quantity }, place) => ({ id: idOf('txnitm', order.key, place), price_id: ref, quantity })),
      },
      payments: [{ status: 'captured' }],
      billed_at: micros(now()),
      invoice_id: idOf('inv', order.key, order.periods),
    });
  };
  const subscription = (order: Order, more: object = {}): object => ({
    id: ids(order).subscription,
    status: 'active',
    customer_id: ids(order).customer,
    custom_data: null,
    next_billed_at: micros(paidUntil(order)),
    paused_at: null,
    canceled_at: null,
    scheduled_change: null,
    current_billing_period: { starts_at: micros(order.boughtAt), ends_at: micros(paidUntil(order)) },
    items: linesOf(order).map(({ ref, quantity }) => ({ status: 'active', price: price(order, ref), quantity })),
    ...more,
  });
  const updated = (order: Order): Message => event('subscription.updated', subscription(order));
  const adjustment = (order: Order, action: string, type: 'full' | 'partial', amount: number): object => {
    const id = ids(order);
    const adjusted = {
      id: idOf('adj', randomBytes(12).toString('hex')),
      action,
      type,
      status: 'approved',
      reason: 'requested',
      transaction_id: id.transaction,
      subscription_id: id.subscription,
      customer_id: id.customer,
      currency_code: 'USD',
      totals: totals(amount),
      items: [{ item_id: idOf('txnitm', order.key), type, amount: String(amount) }],
    };
    adjustments.set(id.transaction, [...(adjustments.get(id.transaction) ?? []), adjusted]);
    return adjusted;
  };

  /** Outside the sandbox, Paddle must approve most refunds. A refund counts only when it is approved. */
  const refund = (order: Order, type: 'full' | 'partial'): readonly Message[] => {
    const approved = adjustment(order, 'refund', type, order.latestRefund);
    return [event('adjustment.created', { ...approved, status: 'pending_approval' }), event('adjustment.updated', approved)];
  };

  return shopWith(
    {
      processor: 'paddle',
      ref: { is: 'price', example: 'pri_01pro', other: 'pri_01team', added: 'pri_01addon' },
      sign: ({ body }, secret, at) => {
        const time = seconds(at);
        return {
          'Content-Type': 'application/json',
          'Paddle-Signature': `ts=${time};h1=${createHmac('sha256', secret).update(`${time}:${body}`).digest('hex')}`,
        };
      },
      api(url) {
        const [, collection, id = ''] = url.pathname.split('/');
        if (collection === 'customers') {
          const order = customers.get(id);
          return order && { data: { id, email: order.email, name: 'Ada' }, meta: {} };
        }
        if (collection === 'transactions') {
          const sold = events.find(({ event_type, data }) => event_type === 'transaction.completed' && 'id' in data && data.id === id);
          return sold && { data: { ...sold.data, adjustments: adjustments.get(id) ?? [] }, meta: {} };
        }
        if (collection !== 'events') return undefined;
        const after = url.searchParams.get('after');
        const rest = after === null ? events : events.slice(events.findIndex(({ event_id }) => event_id === after) + 1);
        const size = Number(url.searchParams.get('per_page') ?? 50);
        return { data: rest.slice(0, size), meta: { pagination: { per_page: size, has_more: rest.length > size, next: '' } } };
      },
    },
    {
      sale: (order) => {
        customers.set(ids(order).customer, order);
        const created = { ...subscription(order), transaction_id: ids(order).transaction };
        return [
          event('customer.created', { id: ids(order).customer, email: order.email, name: 'Ada', custom_data: null }),
          ...(order.recurring ? [event('subscription.created', created)] : []),
          completed(order),
        ];
      },
      renewal: (order) => [completed(order), updated(order)],
      'payment failed': (order) => event('subscription.past_due', subscription(order, { status: 'past_due' })),
      paused: (order) =>
        event('subscription.paused', subscription(order, { status: 'paused', paused_at: micros(now()), current_billing_period: null })),
      resumed: (order) => event('subscription.resumed', subscription(order)),
      'quantity changed': updated,
      'quantity lowered': updated,
      'plan changed': updated,
      'line added': updated,
      'line removed': updated,
      canceled: (order) => {
        const scheduled_change = { action: 'cancel', effective_at: micros(paidUntil(order)), resume_at: null };
        return event('subscription.updated', subscription(order, { scheduled_change }));
      },
      ended: (order) =>
        event(
          'subscription.canceled',
          subscription(order, { status: 'canceled', canceled_at: micros(now()), current_billing_period: null }),
        ),
      refunded: (order) => refund(order, 'full'),
      'refunded in part': (order) => refund(order, 'partial'),
      'dispute opened': (order) => event('adjustment.created', adjustment(order, 'chargeback', 'full', totalOf(order))),
      'dispute won': (order) => event('adjustment.created', adjustment(order, 'chargeback_reverse', 'full', totalOf(order))),
    },
  );
}
