import {
  COUNTRY,
  json,
  micros,
  monthsAfter,
  paidUntil,
  refundedSum,
  shopWith,
  standardKey,
  standardWebhook,
  ticking,
  totalOf,
  type Message,
  type Order,
  type Shop,
} from './shop';

/** Creates an id in the form of a UUID. */
const uuid = (order: Order, kind: number, period = 0): string => {
  const hex = order.key.padEnd(24, '0').slice(0, 24);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${String(kind).padStart(4, '0')}${String(period).padStart(8, '0')}`;
};

/**
 * Imitates Polar. Its messages are signed according to Standard Webhooks. If `legacy` is true, they are signed in the way that
 * Polar uses for endpoints created before 2026-09-08.
 */
export function polar(now = ticking(), { legacy = false }: { readonly legacy?: boolean } = {}): Shop {
  const orders = new Map<string, object>();
  const subscriptions = new Map<string, object>();

  const event = (type: string, data: object): Message => json(type, { type, timestamp: micros(now()), api_version: '2026-10', data });
  const customer = (order: Order): object => ({ id: uuid(order, 5), email: order.email, name: 'Ada', type: 'individual' });
  const ids = (order: Order) => ({
    order: uuid(order, 1, order.periods),
    subscription: order.recurring ? uuid(order, 2) : null,
    checkout: uuid(order, 3),
  });
  const seats = (order: Order): number | null => (order.quantity > 1 ? order.quantity : null);

  const subscription = (order: Order, more: object = {}): object => {
    const data = {
      id: ids(order).subscription,
      status: 'active',
      product_id: order.ref,
      checkout_id: ids(order).checkout,
      customer_id: uuid(order, 5),
      customer: customer(order),
      current_period_end: micros(paidUntil(order)),
      cancel_at_period_end: false,
      ends_at: null,
      ended_at: null,
      seats: seats(order),
      metadata: {},
      created_at: micros(order.boughtAt),
      modified_at: micros(now()),
      ...more,
    };
    subscriptions.set(String(data.id), data);
    return data;
  };
  const updated = (order: Order): Message => event('subscription.updated', subscription(order));
  const orderOf = (order: Order): object => {
    const id = ids(order);
    const net = totalOf(order);
    const data = {
      id: id.order,
      status: order.refundedThirds >= 3 ? 'refunded' : order.refundedThirds > 0 ? 'partially_refunded' : 'paid',
      paid: true,
      billing_reason: order.recurring ? (order.periods > 1 ? 'subscription_cycle' : 'subscription_create') : 'purchase',
      product_id: order.ref,
      subscription_id: id.subscription,
      checkout_id: id.checkout,
      customer_id: uuid(order, 5),
      customer: customer(order),
      seats: seats(order),
      units: null,
      metadata: {},
      net_amount: net,
      tax_amount: 0,
      total_amount: net,
      refunded_amount: refundedSum(net, order.refundedThirds),
      refunded_tax_amount: 0,
      platform_fee_amount: Math.round(net / 20),
      platform_fee_currency: 'usd',
      currency: 'usd',
      billing_address: { country: COUNTRY },
      created_at: micros(order.periods > 1 ? monthsAfter(order.boughtAt, order.periods - 1) : order.boughtAt),
      modified_at: micros(now()),
      items: [
        {
          label: 'Aurora',
          amount: net,
          proration: false,
          product_price_id: uuid(order, 6),
          start_timestamp: order.recurring ? micros(monthsAfter(order.boughtAt, order.periods - 1)) : null,
          end_timestamp: order.recurring ? micros(paidUntil(order)) : null,
        },
      ],
      subscription: order.recurring ? subscription(order) : null,
    };
    orders.set(id.order, data);
    return data;
  };

  return shopWith(
    {
      processor: 'polar',
      ref: { is: 'product', example: '8a1b7c4e-0000-4000-8000-00000000000a', other: '8a1b7c4e-0000-4000-8000-00000000000b' },
      sign: (message, secret, at) => ({
        ...standardWebhook(message, legacy ? secret : standardKey(secret), at),
        'webhook-event-type': message.type,
      }),
      api(url) {
        const [, collection, id] = url.pathname.replace(/^\/v1\//, '/').split('/');
        const listed =
          collection === 'orders'
            ? orders
            : collection === 'subscriptions'
              ? subscriptions
              : collection === 'disputes'
                ? new Map<string, object>()
                : undefined;
        if (!listed) return undefined;
        if (id) return listed.get(id);
        const [page, limit] = [Number(url.searchParams.get('page') ?? 1), Number(url.searchParams.get('limit') ?? 10)];
        const items = [...listed.values()].reverse();
        return {
          items: items.slice((page - 1) * limit, page * limit),
          pagination: { total_count: items.length, max_page: Math.ceil(items.length / limit) },
        };
      },
    },
    {
      sale: (order) => event('order.paid', orderOf(order)),
      // Polar first sends an event of the subscription, which does not mention the payment. Then it sends the event of the payment.
      renewal: (order) => [updated(order), event('order.paid', orderOf(order))],
      'payment failed': (order) => event('subscription.past_due', subscription(order, { status: 'past_due' })),
      paused: (order) => event('subscription.paused', subscription(order, { status: 'paused' })),
      resumed: (order) => event('subscription.resumed', subscription(order)),
      'quantity changed': updated,
      'quantity lowered': updated,
      'plan changed': updated,
      canceled: (order) =>
        event('subscription.canceled', subscription(order, { cancel_at_period_end: true, ends_at: micros(paidUntil(order)) })),
      ended: (order) =>
        event('subscription.revoked', subscription(order, { status: 'canceled', ends_at: micros(now()), ended_at: micros(now()) })),
      refunded: (order) => event('order.refunded', orderOf(order)),
      'refunded in part': (order) => event('order.refunded', orderOf(order)),
    },
  );
}
