import { createHmac } from 'node:crypto';
import { json, micros, monthsAfter, paidUntil, refundedSum, shopWith, ticking, totalOf, type Message, type Order, type Shop } from './shop';

/**
 * Imitates Lemon Squeezy. Two events report a renewal: the invoice reports the payment, and the subscription reports the end of the paid
 * period.
 */
export function lemonsqueezy(now = ticking()): Shop {
  interface Listed {
    readonly type: string;
    readonly id: string;
    readonly attributes: object;
  }
  /** The latest state of each object by type and id. The map keeps the order of creation. */
  const objects = new Map<string, Listed>();
  const items = new Map<string, object>();

  const event = (order: Order, event_name: string, object: Listed): Message => {
    objects.set(`${object.type}/${object.id}`, object);
    // Like PHP, Lemon Squeezy escapes slashes and non-ASCII characters in JSON. If a receiver parses the body and serializes it again
    // before it checks the signature, the bytes differ and the signature does not match.
    const body = JSON.stringify({ meta: { test_mode: order.test, event_name, webhook_id: `${order.key}` }, data: object });
    const escaped = body
      .replace(/\//g, '\\/')
      .replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
    return { ...json(event_name, {}), body: escaped };
  };
  const ids = (order: Order) => ({
    order: order.number,
    item: order.number + 1,
    subscription: order.number + 2,
    invoice: order.number + 10 + order.periods,
  });

  const refundOf = ({ refundedThirds }: Order, total: number) => ({
    status: refundedThirds >= 3 ? 'refunded' : refundedThirds > 0 ? 'partial_refund' : 'paid',
    refunded: refundedThirds >= 3,
    refunded_amount: refundedSum(total, refundedThirds),
  });
  const orderOf = (order: Order): Listed => {
    const id = ids(order);
    const first_order_item = {
      id: id.item,
      order_id: id.order,
      product_id: 61,
      variant_id: Number(order.ref),
      price_id: 51,
      price: 4900,
      quantity: order.quantity,
    };
    items.set(String(id.order), { type: 'order-items', id: String(id.item), attributes: first_order_item });
    return {
      type: 'orders',
      id: String(id.order),
      attributes: {
        identifier: `${order.key}-0000`,
        order_number: id.order,
        customer_id: order.number + 3,
        user_email: order.email,
        ...refundOf(order, totalOf(order)),
        subtotal: totalOf(order),
        total: totalOf(order),
        currency: 'USD',
        urls: { receipt: `https://app.lemonsqueezy.com/my-orders/${order.key}?signature=1` },
        first_order_item,
        created_at: micros(order.boughtAt),
        updated_at: micros(now()),
        test_mode: order.test,
      },
    };
  };
  const subscription = (order: Order, more: object = {}): Listed => {
    const id = ids(order);
    return {
      type: 'subscriptions',
      id: String(id.subscription),
      attributes: {
        order_id: id.order,
        order_item_id: id.item,
        product_id: 61,
        variant_id: Number(order.ref),
        customer_id: order.number + 3,
        user_email: order.email,
        status: 'active',
        cancelled: false,
        pause: null,
        trial_ends_at: null,
        urls: { customer_portal: `https://example.lemonsqueezy.com/billing?expires=1&test_mode=1&user=${order.key}&signature=1` },
        first_subscription_item: { id: order.number + 4, quantity: order.quantity },
        renews_at: micros(paidUntil(order)),
        ends_at: null,
        created_at: micros(order.boughtAt),
        updated_at: micros(now()),
        test_mode: order.test,
        ...more,
      },
    };
  };
  const invoice = (order: Order, more: object = {}): Listed => ({
    type: 'subscription-invoices',
    id: String(ids(order).invoice),
    attributes: {
      subscription_id: ids(order).subscription,
      customer_id: order.number + 3,
      billing_reason: order.periods > 1 ? 'renewal' : 'initial',
      ...refundOf(order, totalOf(order)),
      total: totalOf(order),
      currency: 'USD',
      user_email: order.email,
      urls: { invoice_url: `https://app.lemonsqueezy.com/my-orders/${order.key}/subscription-invoice/${ids(order).invoice}?signature=1` },
      created_at: micros(order.periods > 1 ? monthsAfter(order.boughtAt, order.periods - 1) : order.boughtAt),
      updated_at: micros(now()),
      test_mode: order.test,
      ...more,
    },
  });

  const updated = (order: Order, more: object = {}): Message => event(order, 'subscription_updated', subscription(order, more));
  const paid = (order: Order): Message => event(order, 'subscription_payment_success', invoice(order));
  const refunded = (order: Order): Message =>
    order.periods < 2 ? event(order, 'order_refunded', orderOf(order)) : event(order, 'subscription_payment_refunded', invoice(order));

  return shopWith(
    {
      processor: 'lemonsqueezy',
      ref: { is: 'variant', example: '71', other: '72' },
      sign: ({ body, type }, secret) => ({
        'Content-Type': 'application/json',
        'X-Event-Name': type,
        'X-Signature': createHmac('sha256', secret).update(body).digest('hex'),
      }),
      api(url) {
        const [, version, collection, id] = url.pathname.split('/');
        if (version !== 'v1') return undefined;
        if (collection === 'order-items') {
          const item = items.get(url.searchParams.get('filter[order_id]') ?? '');
          return { meta: { page: { currentPage: 1, lastPage: 1 } }, data: item ? [item] : [] };
        }
        if (id) {
          const object = objects.get(`${collection}/${id}`);
          return object && { data: object };
        }
        const [page, size] = [Number(url.searchParams.get('page[number]') ?? 1), Number(url.searchParams.get('page[size]') ?? 10)];
        const listed = [...objects.values()].filter(({ type }) => type === collection).reverse();
        return {
          meta: { page: { currentPage: page, lastPage: Math.max(1, Math.ceil(listed.length / size)) } },
          data: listed.slice((page - 1) * size, page * size),
        };
      },
    },
    {
      sale: (order) => [
        event(order, 'order_created', orderOf(order)),
        ...(order.recurring ? [event(order, 'subscription_created', subscription(order)), paid(order), updated(order)] : []),
      ],
      renewal: (order) => [paid(order), updated(order)],
      'payment failed': (order) => [
        event(order, 'subscription_payment_failed', invoice({ ...order, periods: order.periods + 1 }, { status: 'pending' })),
        updated(order, { status: 'past_due', renews_at: micros(now()) }),
      ],
      paused: (order) =>
        event(order, 'subscription_paused', subscription(order, { status: 'paused', pause: { mode: 'void', resumes_at: null } })),
      resumed: (order) => event(order, 'subscription_unpaused', subscription(order)),
      'quantity changed': (order) => updated(order),
      'quantity lowered': (order) => updated(order),
      'plan changed': (order) => updated(order),
      canceled: (order) => {
        const announced = { status: 'cancelled', cancelled: true, ends_at: micros(paidUntil(order)) };
        return event(order, 'subscription_cancelled', subscription(order, announced));
      },
      ended: (order) =>
        event(order, 'subscription_expired', subscription(order, { status: 'expired', cancelled: true, ends_at: micros(now()) })),
      refunded,
      'refunded in part': refunded,
    },
  );
}
