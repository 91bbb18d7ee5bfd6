import { createHmac } from 'node:crypto';
import {
  type Fact,
  facts,
  json,
  linesOf,
  type Message,
  monthsAfter,
  type Order,
  paidUntil,
  refundedSum,
  seconds,
  type Shop,
  ticking,
  totalOf,
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
  const state = (order: Order, name: string, more: object = {}): Message =>
    event('subscription', order, { subscription_state: name, ...more });
  /** A refund of the latest payment. It names the currency with the payment. */
  const refund = (order: Order, part: string, amount: number): Message =>
    event('refund', order, {
      payment: { id: paymentOf(order), currency: 'USD' },
      refund: { id: `refund-${paymentOf(order)}${part}`, payment: paymentOf(order), amount },
    });

  const messages = (fact: Fact, order: Order): readonly Message[] => {
    switch (fact) {
      case 'sale':
        order.periods = 1;
        order.refundedThirds = 0;
        return [event('sale', order, { buyer: { email: order.email, name: 'Ada' }, lines: lines(order), ...paid(order) })];
      case 'renewal':
        order.periods += 1;
        order.refundedThirds = 0;
        return [event('renewal', order, { buyer: { email: order.email }, lines: lines(order), ...paid(order) })];
      case 'payment failed':
        return [state(order, 'past_due')];
      case 'paused':
        return [state(order, 'paused')];
      case 'resumed':
        return [state(order, 'active')];
      case 'quantity changed':
        order.quantity += 1;
        return [event('subscription', order, { lines: lines(order) })];
      case 'quantity lowered':
        order.quantity -= 1;
        return [event('subscription', order, { lines: lines(order) })];
      case 'plan changed':
        order.ref = order.otherRef ?? 'team';
        return [event('subscription', order, { lines: lines(order) })];
      case 'line added':
        order.addedRef = order.otherRef ?? 'extra';
        return [event('subscription', order, { lines: lines(order) })];
      case 'line removed':
        order.addedRef = null;
        return [event('subscription', order, { lines: lines(order) })];
      case 'canceled':
        return [state(order, 'canceled', { ends_at: new Date(paidUntil(order)).toISOString() })];
      case 'ended':
        return [state(order, 'ended')];
      case 'refunded':
        return [refund(order, '', totalOf(order))];
      case 'refunded in part':
        order.refundedThirds += 1;
        return [
          refund(
            order,
            `-${order.refundedThirds}`,
            refundedSum(totalOf(order), order.refundedThirds) - refundedSum(totalOf(order), order.refundedThirds - 1),
          ),
        ];
      case 'dispute opened':
        return [event('dispute', order, { dispute: { id: `dispute-${order.key}`, state: 'open' } })];
      case 'dispute won':
        return [event('dispute', order, { dispute: { id: `dispute-${order.key}`, state: 'won' } })];
      case 'dispute lost':
        return [event('dispute', order, { dispute: { id: `dispute-${order.key}`, state: 'lost' } })];
    }
  };

  return {
    processor: 'custom',
    facts,
    ref: { is: 'ref', example: 'pro', other: 'team', added: 'extra' },
    messages,
    sign: ({ body, id }, secret, at) => {
      const time = seconds(at);
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
      const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
      return {
        'Content-Type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(time),
        'webhook-signature': `v1,${signature}`,
      };
    },
    // The service reads nothing from a shop of one's own.
    api: () => undefined,
  };
}
