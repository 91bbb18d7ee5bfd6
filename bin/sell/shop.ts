import { randomBytes, randomUUID } from 'node:crypto';

/**
 * A shop at a payment processor, as far as its notifications and its API show it. `npm run sell` plays one, and tests use the same.
 * The shapes are those of docs/spec/processors.md; nothing is shared with the code that receives them.
 */
export interface Shop {
  readonly processor: ProcessorName;
  /** What can happen in it; disputes, for example, are not reported by every processor. */
  readonly facts: readonly Fact[];
  /** What the processor sends when something happens to an order, in the order of sending. It changes what {@link Shop.api} responds. */
  readonly messages: (fact: Fact, order: Order) => readonly Message[];
  /** The headers that a message is sent with now. */
  readonly sign: (message: Message, secret: string, now: number) => Readonly<Record<string, string>>;
  /** The processor's API: the response to a GET, undefined for 404. Paths are those below the address that stands in its documentation. */
  readonly api: (url: URL) => unknown;
  /** What a plan's `ref` is, an example, and what a change of plan leads to. */
  readonly ref: { readonly is: string; readonly example: string; readonly other: string };
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
  'canceled',
  'ended',
  'refunded',
  'refunded in part',
  'dispute opened',
  'dispute won',
  'dispute lost',
] as const;
export type Fact = (typeof facts)[number];

/** One purchase, and what has become of it. */
export interface Order {
  /** Random; every id of the order is made of it. */
  readonly key: string;
  /** The same as a number, for processors that number everything. */
  readonly number: number;
  readonly email: string;
  ref: string;
  /** What a change of plan leads to. */
  readonly otherRef: string | undefined;
  quantity: number;
  readonly recurring: boolean;
  /** Test mode. */
  readonly test: boolean;
  /** When it was bought, in epoch milliseconds. */
  readonly boughtAt: number;
  /** How many periods have been paid. */
  periods: number;
  /** How many thirds of the latest payment were refunded in parts. */
  refundedThirds: number;
}

export interface Message {
  /** What the processor calls it. */
  readonly type: string;
  readonly body: string;
  readonly contentType: string;
  /** The id that is sent in a header, if there is one. */
  readonly id: string;
}

export const newOrder = (
  wanted: Pick<Order, 'email' | 'ref' | 'quantity' | 'recurring' | 'test'> & Partial<Pick<Order, 'otherRef'>>,
  now: number,
): Order => ({
  otherRef: undefined,
  ...wanted,
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

/** The same time of the month, so many months later; the last day of a month that is too short. */
export function monthsAfter(start: number, months: number): number {
  const end = new Date(start);
  const day = end.getUTCDate();
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + months);
  end.setUTCDate(Math.min(day, new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()));
  return end.getTime();
}

/** The end of the period that is paid. */
export const paidUntil = ({ boughtAt, periods }: Order): number => monthsAfter(boughtAt, periods);

/** What of a sum is refunded after so many parts, each a third of it. */
export const refundedSum = (total: number, thirds: number): number => (thirds >= 3 ? total : Math.floor(total / 3) * thirds);

/** RFC 3339 with six decimals. */
export const micros = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** A clock that never shows the same millisecond twice, so that what follows is later. */
export function ticking(clock: () => number = Date.now): () => number {
  let last = 0;
  return () => (last = Math.max(last + 1, clock()));
}
