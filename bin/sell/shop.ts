import { randomBytes, randomUUID } from 'node:crypto';

/**
 * A shop at a payment processor, as its notifications and its API show it. `npm run sell` and tests use it. The formats are those of
 * docs/spec/processors.md; no code is shared with the receiving side.
 */
export interface Shop {
  readonly processor: ProcessorName;
  /** What the processor reports; not every processor reports disputes, for example. */
  readonly facts: readonly Fact[];
  /** What the processor sends when something happens to an order, in the order of sending. It changes the response of {@link Shop.api}. */
  readonly messages: (fact: Fact, order: Order) => readonly Message[];
  /** The headers of a message that is sent now. */
  readonly sign: (message: Message, secret: string, now: number) => Readonly<Record<string, string>>;
  /** The processor's API: the response to a GET, undefined for 404. Paths are relative to the base address in its documentation. */
  readonly api: (url: URL) => unknown;
  /** What a plan's `ref` is called, an example, the ref after a change of plan, and that of a line that is added. */
  readonly ref: { readonly is: string; readonly example: string; readonly other: string; readonly added?: string };
}

export const processorNames = ['stripe', 'paddle', 'lemonsqueezy', 'polar', 'gumroad'] as const;
export type ProcessorName = (typeof processorNames)[number];

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

/** One purchase and its current state. */
export interface Order {
  /** Random; every id of the order contains it. */
  readonly key: string;
  /** The same as a number, for processors with numeric ids. */
  readonly number: number;
  readonly email: string;
  ref: string;
  /** The ref after a change of plan, or of a line that is added. */
  readonly otherRef: string | undefined;
  quantity: number;
  /** The ref of a second line, bought once; null without one. */
  addedRef: string | null;
  readonly recurring: boolean;
  readonly test: boolean;
  /** When it was bought, in epoch milliseconds. */
  readonly boughtAt: number;
  /** How many periods have been paid. */
  periods: number;
  /** How many thirds of the latest payment were refunded. */
  refundedThirds: number;
}

export interface Message {
  /** The processor's name for this message. */
  readonly type: string;
  readonly body: string;
  readonly contentType: string;
  /** The id for the header, if the processor sends one. */
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
});

export const json = (type: string, body: object, id: string = randomUUID()): Message => ({
  type,
  body: JSON.stringify(body),
  contentType: 'application/json',
  id,
});

/** The same day and time, `months` later; the last day if that month is too short. */
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

/** The price of one piece, in cents. Every product costs the same. */
export const PRICE = 4900;

/** The amount of one payment, in cents. */
export const totalOf = (order: Order): number => linesOf(order).reduce((sum, { quantity }) => sum + PRICE * quantity, 0);

/** The country of every buyer. */
export const COUNTRY = 'NL';

/** The amount refunded in total when this number of thirds has been refunded. */
export const refundedSum = (total: number, thirds: number): number => (thirds >= 3 ? total : Math.floor(total / 3) * thirds);

/** A timestamp by RFC 3339 with six decimals. */
export const micros = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** A clock that never returns the same millisecond twice, so that each event is later than the previous one. */
export function ticking(clock: () => number = Date.now): () => number {
  let last = 0;
  return () => (last = Math.max(last + 1, clock()));
}
