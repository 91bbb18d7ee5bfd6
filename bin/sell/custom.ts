import {
  json,
  linesOf,
  monthsAfter,
  paidUntil,
  shopWith,
  standardKey,
  standardWebhook,
  ticking,
  totalOf,
  type Message,
  type Order,
  type Shop,
} from './shop';

/** Imitates a shop that sends notifications in the service's own format, signed according to Standard Webhooks. */
export function custom(now = ticking()): Shop {
  let sent = 0;
  const idOf = (order: Order): string => `order-${order.key}`;
  const paymentOf = (order: Order): string => `payment-${order.key}-${order.periods}`;
  const lines = (order: Order): object[] => linesOf(order).map(({ ref, quantity }, place) => ({ id: `line-${place + 1}`, ref, quantity }));
  const event = (type: string, order: Order, more: object): Message => {
    const id = `event-${order.key}-${(sent += 1)}`;
    return json(
      type,
      {
        id,
        at: new Date(now()).toISOString(),
        type,
        order: idOf(order),
        ...(order.recurring && { subscription: `subscription-${order.key}` }),
        ...more,
      },
      id,
    );
  };
  const paid = (order: Order): object => ({
    ...(order.recurring && {
      period: {
        from: new Date(monthsAfter(order.boughtAt, order.periods - 1)).toISOString(),
        until: new Date(paidUntil(order)).toISOString(),
      },
    }),
    payment: { id: paymentOf(order), amount: totalOf(order), currency: 'USD' },
  });
  const changed = (order: Order): Message => event('subscription', order, { lines: lines(order) });
  const state = (order: Order, name: string, more: object = {}): Message =>
    event('subscription', order, { subscription_state: name, ...more });
  /** A refund of the latest payment. It names the currency with the payment. */
  const refund = (order: Order, part = ''): Message =>
    event('refund', order, {
      payment: { id: paymentOf(order), currency: 'USD' },
      refund: { id: `refund-${paymentOf(order)}${part}`, payment: paymentOf(order), amount: order.latestRefund },
    });

  const dispute = (order: Order, state: 'open' | 'won' | 'lost'): Message =>
    event('dispute', order, { dispute: { id: `dispute-${order.key}`, state } });

  return shopWith(
    {
      processor: 'custom',
      ref: { is: 'ref', example: 'pro', other: 'team', added: 'extra' },
      sign: (message, secret, at) => standardWebhook(message, standardKey(secret), at),
      // The service reads nothing from a shop of one's own.
      api: () => undefined,
    },
    {
      sale: (order) => event('sale', order, { buyer: { email: order.email, name: 'Ada' }, lines: lines(order), ...paid(order) }),
      renewal: (order) => event('renewal', order, { buyer: { email: order.email }, lines: lines(order), ...paid(order) }),
      'payment failed': (order) => state(order, 'past_due'),
      paused: (order) => state(order, 'paused'),
      resumed: (order) => state(order, 'active'),
      'quantity changed': changed,
      'quantity lowered': changed,
      'plan changed': changed,
      'line added': changed,
      'line removed': changed,
      canceled: (order) => state(order, 'canceled', { ends_at: new Date(paidUntil(order)).toISOString() }),
      ended: (order) => state(order, 'ended'),
      refunded: (order) => refund(order),
      'refunded in part': (order) => refund(order, `-${order.refundedThirds}`),
      'dispute opened': (order) => dispute(order, 'open'),
      'dispute won': (order) => dispute(order, 'won'),
      'dispute lost': (order) => dispute(order, 'lost'),
    },
  );
}
