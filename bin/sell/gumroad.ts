import { json, paidUntil, ticking, monthsAfter, type Fact, type Message, type Order, type Shop } from './shop';

/** A timestamp in whole seconds. */
const stamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

/** Gumroad's ids end in two equals signs. */
const idOf = (prefix: string, order: Order, period = 0): string => `${prefix}${order.key}${period}==`;

/** Gumroad. Notifications are unsigned forms; no event reports a failed renewal or a pause. */
export function gumroad(now = ticking()): Shop {
  const sales = new Map<string, Record<string, unknown>>();
  const subscribers = new Map<string, string>();

  /** Writes a form as Gumroad does: values are encoded, names are not, and null is empty. */
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
    sales.set(id, {
      ...sales.get(id),
      id,
      email: order.email,
      product_id: order.ref,
      product_permalink: 'aurora',
      price: 4900 * order.quantity,
      quantity: order.quantity,
      refunded: false,
      partially_refunded: false,
      chargedback: false,
      disputed: false,
      dispute_won: false,
      variants: {},
      created_at: stamp(at),
      ...(order.recurring && { subscription_id: idOf('Su', order), subscription_duration: 'monthly', recurring_charge: order.periods > 1 }),
      ...state,
    });
    if (order.recurring) subscribers.set(idOf('Su', order), 'alive');
    return ping({
      seller_id: 'Se1==',
      product_id: order.ref,
      product_name: 'Aurora',
      permalink: 'aurora',
      product_permalink: 'https://aurora.gumroad.com/l/aurora',
      short_product_id: 'aurora',
      email: order.email,
      price: 4900 * order.quantity,
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
      product_id: order.ref,
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

  /** The current time, but always after the latest sale: renewals carry dates in the future. */
  const later = (order: Order): string => stamp(Math.max(now(), monthsAfter(order.boughtAt, order.periods - 1) + 1000));

  const messages = (fact: Fact, order: Order): readonly Message[] => {
    switch (fact) {
      case 'sale':
      case 'renewal':
        order.periods = fact === 'sale' ? 1 : order.periods + 1;
        return [sale(order, 'sale')];
      case 'quantity changed':
        order.quantity += 1;
        return [
          subscription(order, 'subscription_updated', {
            type: 'upgrade',
            effective_as_of: later(order),
            'new_plan[quantity]': order.quantity,
          }),
        ];
      case 'canceled':
        subscribers.set(idOf('Su', order), 'pending_cancellation');
        return [subscription(order, 'cancellation', { cancelled: true, cancelled_at: stamp(paidUntil(order)), cancelled_by_buyer: true })];
      case 'ended':
        subscribers.set(idOf('Su', order), 'cancelled');
        return [subscription(order, 'subscription_ended', { ended_at: later(order), ended_reason: 'cancelled' })];
      case 'refunded':
        return [sale(order, 'refund', { refunded: true })];
      case 'refunded in part':
        return [sale(order, 'refund', { partially_refunded: true })];
      case 'dispute opened':
        return [sale(order, 'dispute', { disputed: true, chargedback: true })];
      case 'dispute won':
        return [sale(order, 'dispute_won', { disputed: true, dispute_won: true })];
      case 'plan changed':
      case 'quantity lowered':
      case 'payment failed':
      case 'paused':
      case 'resumed':
      case 'dispute lost':
        return [];
    }
  };

  return {
    processor: 'gumroad',
    facts: ['sale', 'renewal', 'quantity changed', 'canceled', 'ended', 'refunded', 'refunded in part', 'dispute opened', 'dispute won'],
    ref: { is: 'product id or permalink', example: 'Pq1==', other: 'Pq2==' },
    messages,
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
  };
}
