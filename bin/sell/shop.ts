import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Processor } from '../../lambdas/contract/processors';

/**
 * Imitates a shop at a payment processor, with the notifications and the API of that processor. `npm run sell` and tests use it.
 * docs/spec/processors.md describes the formats. The imitation shares only the names of the processors with the service, because an error in
 * shared code would affect both, and no test would find it.
 */
export interface Shop {
  readonly processor: Processor;
  /** What the processor reports about an order. For example, not every processor reports disputes. */
  readonly facts: readonly Fact[];
  /**
   * Applies a fact, such as a refund, to the order. Returns the messages that the processor sends about it, in the order of sending. The
   * responses of {@link Shop.api} show the change as well.
   */
  readonly messages: (fact: Fact, order: Order) => readonly Message[];
  /** The headers of a message that is sent at `now` (epoch milliseconds). */
  readonly sign: (message: Message, secret: string, now: number) => Readonly<Record<string, string>>;
  /**
   * Imitates the processor's API: returns the response to a GET request, or undefined if the API responds with 404. Paths are relative to
   * the base URL in the processor's documentation.
   */
  readonly api: (url: URL) => unknown;
  /**
   * The field `is` contains the processor's own word for the `ref` of a plan, such as "price". The other fields are example values:
   * `example` is the ref of the first plan, `other` the ref after a change of plan, and `added` the ref of a line that is added to the
   * subscription. If a ref has parts, `change` returns the ref after a change of plan.
   */
  readonly ref: {
    readonly is: string;
    readonly example: string;
    readonly other: string;
    readonly added?: string;
    readonly change?: (ref: string, other: string) => string;
  };
}

export const facts = [
  'sale',
  'renewal',
  'payment failed',
  'paused',
  'resumed',
  'quantity changed',
  'quantity lowered',
  'plan changed',
  'line added',
  'line removed',
  'canceled',
  'ended',
  'refunded',
  'refunded in part',
  'dispute opened',
  'dispute won',
  'dispute lost',
] as const;
export type Fact = (typeof facts)[number];

/** A purchase and its current state. */
export interface Order {
  /** A random text that every id of the order contains. */
  readonly key: string;
  /** A random number, for processors whose ids are numbers. */
  readonly number: number;
  readonly email: string;
  ref: string;
  /** The ref after a change of plan, or the ref of an added line. */
  readonly otherRef: string | undefined;
  quantity: number;
  /** The ref of a second line with quantity 1; null if there is no second line. */
  addedRef: string | null;
  readonly recurring: boolean;
  readonly test: boolean;
  /** When the order was bought, in epoch milliseconds. */
  readonly boughtAt: number;
  /** The number of paid periods. */
  periods: number;
  /** How many thirds of the latest payment's amount were refunded. The test shop refunds a payment in three equal parts. */
  refundedThirds: number;
  /** The amount of the latest refund, in cents. */
  latestRefund: number;
}

export interface Message {
  /** The processor's name for this message. */
  readonly type: string;
  readonly body: string;
  readonly contentType: string;
  /** The message id, for processors that send it in a header. */
  readonly id: string;
}

export const newOrder = (
  wanted: Pick<Order, 'email' | 'ref' | 'quantity' | 'recurring' | 'test'> & Partial<Pick<Order, 'otherRef'>>,
  now: number,
): Order => ({
  otherRef: undefined,
  ...wanted,
  addedRef: null,
  key: randomBytes(9).toString('hex'),
  number: randomBytes(4).readUInt32BE() + 1_000_000,
  boughtAt: now,
  periods: 0,
  refundedThirds: 0,
  latestRefund: 0,
});

export const json = (type: string, body: object, id: string = randomUUID()): Message => ({
  type,
  body: JSON.stringify(body),
  contentType: 'application/json',
  id,
});

/** The same day and time, `months` later. If that month does not have the day, the result is the last day of that month. */
export function monthsAfter(start: number, months: number): number {
  const end = new Date(start);
  const day = end.getUTCDate();
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + months);
  end.setUTCDate(Math.min(day, new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()));
  return end.getTime();
}

/** The end of the paid period. */
export const paidUntil = ({ boughtAt, periods }: Order): number => monthsAfter(boughtAt, periods);

/** The lines of an order. */
export const linesOf = ({ ref, quantity, addedRef }: Order): readonly { readonly ref: string; readonly quantity: number }[] => [
  { ref, quantity },
  ...(addedRef === null ? [] : [{ ref: addedRef, quantity: 1 }]),
];

/** The price of one unit, in cents. All products have the same price. */
export const PRICE = 4900;

/** The amount of one payment, in cents. */
export const totalOf = (order: Order): number => linesOf(order).reduce((sum, { quantity }) => sum + PRICE * quantity, 0);

/** Refunds the latest payment until `thirds` thirds of its amount are refunded. */
function refund(order: Order, thirds: number): void {
  order.latestRefund = refundedSum(totalOf(order), thirds) - refundedSum(totalOf(order), order.refundedThirds);
  order.refundedThirds = thirds;
}

/** How a fact changes an order. Facts that are missing here change nothing. */
const changes: { readonly [Of in Fact]?: (order: Order, ref: Shop['ref']) => void } = {
  sale: (order) => void Object.assign(order, { periods: 1, refundedThirds: 0 }),
  renewal: (order) => void Object.assign(order, { periods: order.periods + 1, refundedThirds: 0 }),
  'quantity changed': (order) => void (order.quantity += 1),
  'quantity lowered': (order) => void (order.quantity -= 1),
  'plan changed': (order, { other, change = (_ref, next) => next }) => void (order.ref = change(order.ref, order.otherRef ?? other)),
  'line added': (order, { added }) => void (order.addedRef = order.otherRef ?? added ?? null),
  'line removed': (order) => void (order.addedRef = null),
  refunded: (order) => refund(order, 3),
  'refunded in part': (order) => refund(order, order.refundedThirds + 1),
};

/**
 * A shop at a processor that reports the given facts.
 *
 * @param reports the messages about an order to which the fact was just applied, in the order of sending
 */
export const shopWith = (
  shop: Omit<Shop, 'facts' | 'messages'>,
  reports: { readonly [Of in Fact]?: (order: Order) => Message | readonly Message[] },
): Shop => ({
  ...shop,
  facts: facts.filter((fact) => fact in reports),
  messages: (fact, order) => {
    const report = reports[fact];
    if (!report) return [];
    changes[fact]?.(order, shop.ref);
    return [report(order)].flat();
  },
});

/** The country of all buyers in the test shop. */
export const COUNTRY = 'NL';

/** The refunded amount, in cents: `thirds`/3 of the total. */
export const refundedSum = (total: number, thirds: number): number => (thirds >= 3 ? total : Math.floor(total / 3) * thirds);

/** Formats a timestamp by RFC 3339 with six decimals. */
export const micros = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** The headers of a message that is signed according to Standard Webhooks, at the time `at` (epoch ms). */
export function standardWebhook({ body, id, contentType }: Message, key: string | Buffer, at: number): Readonly<Record<string, string>> {
  const time = seconds(at);
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  return { 'Content-Type': contentType, 'webhook-id': id, 'webhook-timestamp': String(time), 'webhook-signature': `v1,${signature}` };
}

/** The key in a secret with the prefix `whsec_`. */
export const standardKey = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

/** A clock that never returns the same millisecond twice, so that each event is later than the previous one. */
export function ticking(clock: () => number = Date.now): () => number {
  let last = 0;
  return () => (last = Math.max(last + 1, clock()));
}
