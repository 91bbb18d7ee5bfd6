import { json, monthsAfter, paidUntil, shopWith, ticking, totalOf, type Message, type Order, type Shop } from './shop';

/** Formats a timestamp in whole seconds. */
const stamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

/** Gumroad's ids end with two equals signs. */
const idOf = (prefix: string, order: Order, period = 0): string => `${prefix}${order.key}${period}==`;

/** Splits a ref. A ref names a product (`aurora`) or a tier of a product (`aurora/Pro`). */
function soldAs({ ref }: Pick<Order, 'ref'>): { readonly product: string; readonly tier: string | undefined } {
  const [product = ref, tier] = ref.split('/');
  return { product, tier };
}

/** Imitates Gumroad. Its notifications are unsigned forms. It reports neither failed renewals nor pauses. */
export function gumroad(now = ticking()): Shop {
  const sales = new Map<string, Record<string, unknown>>();
  const subscribers = new Map<string, string>();

  /** Encodes a form as Gumroad does: values are encoded, names are not, and null becomes an empty value. */
  const ping = (fields: Readonly<Record<string, string | number | boolean | null>>): Message => ({
    ...json(String(fields['resource_name']), {}),
    contentType: 'application/x-www-form-urlencoded',
    body: Object.entries(fields)
      .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
      .join('&'),
  });

  const sale = (order: Order, resource_name: string, state: Record<string, boolean> = {}): Message => {
    const id = idOf('Sa', order, order.periods);
    const at = monthsAfter(order.boughtAt, order.periods - 1);
    const { product, tier } = soldAs(order);
    sales.set(id, {
      ...sales.get(id),
      id,
      email: order.email,
      product_id: product,
      product_permalink: 'aurora',
      price: totalOf(order),
      gumroad_fee: 540,
      currency: 'usd',
      ip_country: 'Netherlands',
      quantity: order.quantity,
      refunded: false,
      partially_refunded: false,
      chargedback: false,
      disputed: false,
      dispute_won: false,
      variants: tier === undefined ? {} : { Tier: tier },
      created_at: stamp(at),
      ...(order.recurring && { subscription_id: idOf('Su', order), subscription_duration: 'monthly', recurring_charge: order.periods > 1 }),
      ...state,
    });
    if (order.recurring) subscribers.set(idOf('Su', order), 'alive');
    return ping({
      seller_id: 'Se1==',
      product_id: product,
      product_name: 'Aurora',
      permalink: 'aurora',
      product_permalink: 'https://aurora.gumroad.com/l/aurora',
      short_product_id: 'aurora',
      email: order.email,
      price: totalOf(order),
      gumroad_fee: 540,
      currency: 'usd',
      quantity: order.quantity,
      order_number: order.number,
      sale_id: id,
      sale_timestamp: stamp(at),
      full_name: 'Ada',
      'card[visual]': '**** **** **** 4242',
      'card[type]': 'visa',
      'card[bin]': null,
      ip_country: 'Netherlands',
      is_gift_receiver_purchase: false,
      ...(tier !== undefined && { 'variants[Tier]': tier }),
      ...(order.recurring && { subscription_id: idOf('Su', order), recurrence: 'monthly' }),
      ...(order.recurring && order.periods > 1 && { is_recurring_charge: true }),
      ...(order.test && { test: true }),
      refunded: state['refunded'] ?? false,
      resource_name,
      disputed: state['disputed'] ?? false,
      dispute_won: state['dispute_won'] ?? false,
    });
  };
  const subscription = (order: Order, resource_name: string, more: Record<string, string | boolean | number>): Message =>
    ping({
      subscription_id: idOf('Su', order),
      product_id: soldAs(order).product,
      product_name: 'Aurora',
      user_id: null,
      user_email: order.email,
      'purchase_ids[]': idOf('Sa', order, 1),
      created_at: stamp(order.boughtAt),
      charge_occurrence_count: null,
      recurrence: 'monthly',
      free_trial_ends_at: null,
      resource_name,
      ...more,
    });

  /**
   * The time of a subscription event, in whole seconds: now, but at least one second after both the latest payment and the previous
   * subscription event. The imitation's renewals have a future date, so an event with the current time would be dated before the latest
   * renewal.
   */
  let latest = 0;
  const later = (order: Order): string => {
    latest = Math.max(now(), monthsAfter(order.boughtAt, order.periods - 1) + 1000, latest + 1000);
    return stamp(latest);
  };

  /** A change to a smaller plan takes effect with the next payment. */
  const updated = (order: Order, type: 'upgrade' | 'downgrade'): Message => {
    const { tier } = soldAs(order);
    return subscription(order, 'subscription_updated', {
      type,
      effective_as_of: later(order),
      ...(tier !== undefined && { 'new_plan[tier][id]': `tier-${tier}`, 'new_plan[tier][name]': tier }),
      'new_plan[quantity]': order.quantity,
    });
  };

  return shopWith(
    {
      processor: 'gumroad',
      ref: {
        is: 'product id or permalink',
        example: 'Pq1==',
        other: 'Team',
        change: (ref, tier) => `${soldAs({ ref }).product}/${tier}`,
      },
      sign: ({ contentType }) => ({ 'Content-Type': contentType }),
      api(url) {
        const [, collection, id] = url.pathname
          .replace(/^\/v2\//, '/')
          .split('/')
          .map(decodeURIComponent);
        if (collection === 'sales' && id) return sales.has(id) ? { success: true, sale: sales.get(id) } : undefined;
        if (collection === 'sales') return { success: true, sales: [...sales.values()].reverse() };
        if (collection === 'subscribers' && id)
          return subscribers.has(id) ? { success: true, subscriber: { id, status: subscribers.get(id) } } : undefined;
        return undefined;
      },
    },
    {
      sale: (order) => sale(order, 'sale'),
      renewal: (order) => sale(order, 'sale'),
      'quantity changed': (order) => updated(order, 'upgrade'),
      'quantity lowered': (order) => updated(order, 'downgrade'),
      'plan changed': (order) => updated(order, 'upgrade'),
      canceled: (order) => {
        subscribers.set(idOf('Su', order), 'pending_cancellation');
        return subscription(order, 'cancellation', { cancelled: true, cancelled_at: stamp(paidUntil(order)), cancelled_by_buyer: true });
      },
      ended: (order) => {
        subscribers.set(idOf('Su', order), 'cancelled');
        return subscription(order, 'subscription_ended', { ended_at: later(order), ended_reason: 'cancelled' });
      },
      refunded: (order) => sale(order, 'refund', { refunded: true }),
      'refunded in part': (order) => sale(order, 'refund', { partially_refunded: true }),
      'dispute opened': (order) => sale(order, 'dispute', { disputed: true, chargedback: true }),
      'dispute won': (order) => sale(order, 'dispute_won', { disputed: true, dispute_won: true }),
    },
  );
}
