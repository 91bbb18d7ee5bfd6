import type { Processor } from '../../contract/processors';

/**
 * What payment processors report, in terms that are the same for all of them. One adapter for each processor turns
 * its wire format into a {@link Notification}; all that follows knows no processor.
 * Adapters are pure: bytes, secrets and the time come in as arguments, requests go out as descriptions.
 *
 * What happens to a notification, from its bytes to a license. Names of files are those of lambdas/use-cases/payments:
 *
 * 1. **Receive** (lambdas/api/receive-payment.ts, `receive.ts`). `verify` over the bytes as they came; false is 401. Then `read`;
 *    undefined is 422. Reconciled objects (lambdas/events/reconcile.ts) and rows that are processed again (`process.ts`) go through the
 *    same `read`, with the stored text and no headers.
 * 2. **Duplicate.** `eventId` is the dedupe key within a connection. If `repeatable`, the log's row is stored without it.
 * 3. **Read back** (`read-back.ts`). With an `api_key`, send each of `needs` (they are independent of one another) and fold the
 *    responses in with `merge`, one after the other. Skip what is not needed: `order` if the order was found, `email` if the
 *    customer is known. A `proof` that fails with `unavailable` is 503; any other is skipped, and the notification is
 *    planned as it is. Without an `api_key`, `needs` is left out, also `proof`. What was listed needs no `proof`.
 * 4. **Load** (`load.ts`) the order that any of `ids` (`idKey`) belongs to, its licenses, and the notifications that wait or are held
 *    under any of its ids. Ids can belong to several orders that turn out to be one (`joinStored`). A customer's address (`buyer_known`,
 *    without ids) concerns every order of `customerId` (`fill-orders.ts`), and is to be kept for those that come later: hand a
 *    notification on with the `customerEmail` that is known of its customer.
 * 5. **Plan** with `planOrder` (plan/plan-order.ts) what is issued, how licenses change, and what becomes of each notification;
 *    `planLicenses` makes licenses and changes of it, and `plan-commit.ts` the next transaction.
 * 6. **Commit** (`commit.ts`) the plan with the log's rows. When another request was faster, or not all of it fitted, load and plan
 *    again. The log shows the kind of the first action.
 *
 * What `planOrder` relies on:
 *
 * - `payment.sequence` grows with each payment of an order, and is equal for all notifications of one payment. A refund of a
 *   payment with a lower one concerns an earlier period. A refund that names a payment by an id that is not known yet waits for it.
 * - `occurredAt` is the time of the reported state. Of two reports on one topic (`topicOf`), a strictly older one that comes later is
 *   dropped.
 *
 * A notification from reconciling that changes nothing needs no log row.
 */
export interface Notification {
  /** The dedupe key: the same for a notification that is sent again, different for every other of the connection. */
  readonly eventId: string;
  /** What the processor calls it, such as `invoice.paid`. */
  readonly type: string;
  /** Epoch milliseconds of the reported state; null if the processor does not say. Then the time of receipt counts. */
  readonly occurredAt: number | null;
  /** True: test mode. Null: the processor does not say, and the connection's mode counts. */
  readonly test: boolean | null;
  /** Every id that this notification names the order by, also those of `payment`. Empty only if `actions` concern no order. */
  readonly ids: readonly OrderId[];
  /** The subscription, as the log shows it. */
  readonly subscriptionId: string | null;
  readonly payment: Payment | null;
  /** The processor's id of the buyer. It never finds an order; Paddle reports the address under it. */
  readonly customerId: string | null;
  readonly customerEmail: string | null;
  /** What it does, at least one; the first gives the row of the log its `action`. */
  readonly actions: readonly [Action, ...Action[]];
  /** What the processor can be asked for in addition, with the connection's `api_key`. */
  readonly needs: readonly ReadBack[];
  /** True: it uses up no dedupe key, because the real one with the same key may follow (Gumroad's test ping). It is always ignored. */
  readonly repeatable: boolean;
}

/** One id of an order. Ids of different kinds can be equal (Lemon Squeezy numbers everything). */
export interface OrderId {
  /** Such as `subscription` or `payment_intent`. */
  readonly kind: string;
  readonly id: string;
}

/** The id in one string, unique within a connection. */
export const idKey = ({ kind, id }: OrderId): string => `${kind}:${id}`;

/** One payment of an order: the purchase, or one period of a subscription. */
export interface Payment {
  /** The ids, among those of the notification, that name this payment and no other. */
  readonly ids: readonly OrderId[];
  /** Grows from payment to payment of one order; null if the notification doesn't say. */
  readonly sequence: number | null;
  /** What was paid, in the currency's smallest unit, if parts of it are refunded in adjustments of their own (Paddle). */
  readonly total?: number | null;
}

/** One line of an order. */
export interface Line {
  /** The same in every notification of the order, as far as the processor allows. */
  readonly id: string;
  /** What was sold, from the most to the least specific: the candidates for a plan's `ref`. Empty: unknown. */
  readonly refs: readonly string[];
  /** At least 1. */
  readonly quantity: number;
  /** True: the processor says that nothing recurs; periods of the order do not concern it. */
  readonly oneOff: boolean;
}

/** A part of a payment that was given back, in the currency's smallest unit. */
export interface RefundedPart {
  /** Of the refund: reported twice, it counts once. */
  readonly id: string;
  readonly amount: number;
}

/** The id of the line that represents all of an order whose lines are unknown. */
export const WHOLE_ORDER = 'order';

export type Action =
  /** Paid. `lines` is never empty; one named {@link WHOLE_ORDER} if they are unknown. */
  | { readonly kind: 'sale'; readonly lines: readonly Line[]; readonly paidUntil: number | null }
  /** A further payment, or a paid period. Without `lines` it can't start an order. `paidUntil` null: paid, but unknown until when. */
  | { readonly kind: 'renewal'; readonly lines: readonly Line[]; readonly paidUntil: number | null }
  /** Only joins ids of an order. It is done once the order has licenses (or issues none for good), and waits until then. */
  | { readonly kind: 'linked' }
  /** `customerId` has `customerEmail`; `ids` is empty. */
  | { readonly kind: 'buyer_known' }
  | { readonly kind: 'payment_failed' }
  | { readonly kind: 'paid_again' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'resumed' }
  /** In full. */
  | { readonly kind: 'refunded' }
  /** `part`, if the processor reports each part by itself: parts that add up to the payment's `total` are everything. */
  | { readonly kind: 'refunded_in_part'; readonly part?: RefundedPart }
  | { readonly kind: 'dispute_opened' }
  | { readonly kind: 'dispute_won' }
  | { readonly kind: 'dispute_lost' }
  /** Canceled, to end later (`endsAt`, if known): nothing changes. Null also for a withdrawn cancellation. */
  | { readonly kind: 'cancellation_announced'; readonly endsAt: number | null }
  /** The subscription is over. `endedAt` counts only if no paid period is known. */
  | { readonly kind: 'ended'; readonly endedAt: number | null }
  /** Lines that the subscription has now. `complete`: all that recur, so that another line of the order was replaced or removed. */
  | { readonly kind: 'changed'; readonly lines: readonly Line[]; readonly complete?: boolean }
  /** A `sale`, `renewal` or `changed` with more lines than are stored: see limits.ts. */
  | { readonly kind: 'oversized'; readonly of: 'sale' | 'renewal' | 'changed'; readonly paidUntil: number | null; readonly reason: string }
  /** A sentence for the operator. */
  | { readonly kind: 'ignored'; readonly reason: string };
export type ActionKind = Action['kind'];

/** What an action reports on. Of two reports on one topic of an order, a strictly older one that comes later is dropped. */
export type Topic = 'payment' | 'pause' | 'dispute' | 'lines';

const topics: Readonly<Partial<Record<ActionKind, Topic>>> = {
  payment_failed: 'payment',
  paid_again: 'payment',
  paused: 'pause',
  resumed: 'pause',
  dispute_opened: 'dispute',
  dispute_won: 'dispute',
  changed: 'lines',
};

/**
 * The topic of an action; undefined if it counts whenever it comes. `sale` and `renewal` always count for the expiry (it only
 * moves forward) and in addition report on `payment`, as `paid_again` does: an older `payment_failed` after them is dropped.
 */
export const topicOf = (kind: ActionKind): Topic | undefined => (kind === 'sale' || kind === 'renewal' ? 'payment' : topics[kind]);

/**
 * The line among those that an order has which a line of a notification means: the same id, else a common ref, else the
 * only one if both have one only. A line for the whole order means every line, and is meant by every line.
 */
export function lineFor<Known extends Pick<Line, 'id' | 'refs'>>(
  known: readonly Known[],
  line: Line,
  lines: readonly Line[],
): Known | undefined {
  return (
    known.find(({ id }) => id === line.id) ??
    known.find(({ refs }) => refs.some((ref) => line.refs.includes(ref))) ??
    known.find(({ id }) => id === WHOLE_ORDER || line.id === WHOLE_ORDER) ??
    (known.length === 1 && lines.length === 1 ? known[0] : undefined)
  );
}

/** The lines of an order next to those that a subscription has now. */
export interface ComparedLines<Known> {
  readonly kept: readonly { readonly known: Known; readonly line: Line }[];
  readonly added: readonly Line[];
  readonly removed: readonly Known[];
}

/**
 * Which lines of an order a subscription's present lines are: the same id, else a common ref. If they are `complete`, one line
 * that is gone and one that is new are the same line on another plan, and every other line that is gone was removed.
 *
 * @param known a quantity of 0 is a line that was removed before: only its own id finds it
 * @param unsold ids of lines that the subscription had before, and that nothing was issued for
 */
export function compareLines<Known extends Line>(
  known: readonly Known[],
  lines: readonly Line[],
  complete: boolean,
  unsold: readonly string[],
): ComparedLines<Known> {
  const kept: { known: Known; line: Line }[] = [];
  // What does not recur is no part of a subscription.
  let gone = known.filter(({ id, oneOff }) => !oneOff || id === WHOLE_ORDER || lines.some((line) => line.id === id));
  let added = lines;
  const pair = (isSame: (one: Known, line: Line) => boolean): void => {
    for (const line of added) {
      const found = gone.find((one) => isSame(one, line));
      if (!found) continue;
      kept.push({ known: found, line });
      gone = gone.filter((one) => one !== found);
      added = added.filter((other) => other !== line);
    }
  };
  pair((one, line) => one.id === line.id);
  gone = gone.filter(({ quantity }) => quantity > 0);
  pair((one, line) => one.refs.some((ref) => line.refs.includes(ref)));
  const isWhole = [...gone, ...added].some(({ id }) => id === WHOLE_ORDER);
  if (isWhole) pair(() => true);
  const isReplaced = gone.length === 1 && added.length === 1 && !added.some(({ id }) => unsold.includes(id));
  if (complete && isReplaced) pair(() => true);
  // A line for the whole order means every line.
  return isWhole ? { kept, added: [], removed: [] } : { kept, added, removed: complete ? gone : [] };
}

/** A GET to the processor. The base address (`apiBase` or a deployment setting) and the headers of `apiHeaders` are added. */
export interface ReadBack {
  /**
   * What the response adds. `lines`: what was bought. `email`: the buyer's address. `period`: until when it is paid. `order`:
   * further ids, needed only if no order is found by those known. `refunds`: whether partial refunds are everything.
   * `proof`: that the notification is the processor's at all; nothing may be done without it if there is an `api_key`.
   */
  readonly fills: 'lines' | 'email' | 'period' | 'order' | 'refunds' | 'proof';
  /** Path and query, below the base address. */
  readonly path: string;
  /**
   * The notification with the response in it. `unavailable`: the response says nothing (an error of the processor, a wrong
   * key, an odd body). A proof that fails for good gives a notification that is `ignored` and `repeatable`.
   */
  readonly merge: (notification: Notification, response: ApiResponse) => Notification | 'unavailable';
}

export interface ApiResponse {
  readonly status: number;
  /** The parsed JSON; undefined if it is none. */
  readonly body: unknown;
}

/** One page of what a processor lists. */
export interface Page {
  /** Texts for {@link Adapter.read}, oldest first, as if they had been sent; without those that nothing is done for. */
  readonly bodies: readonly string[];
  /** The path of the next page; null after the last. Store it to resume. */
  readonly next: string | null;
}

/** Header names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Adapter {
  readonly processor: Processor;
  /** False: it signs nothing, there is no signing secret, and the address alone is the credential (Gumroad). */
  readonly signs: boolean;
  /**
   * Why a text cannot be one of its signing secrets, such as `must have …`: a short one can be guessed, and sales forged. Undefined: it
   * can.
   */
  readonly refusesSecret: (secret: string) => string | undefined;
  /** Where its API is, by the connection's mode, without a slash at the end. */
  readonly apiBase: Readonly<Record<'live' | 'test', string>>;
  /** The kinds of id shown as `order_id`, the best first. Of several ids of a kind the one that was known first. */
  readonly shownKinds: readonly string[];
  /** The kinds of id that the thank-you page honours, because nobody can guess them (`isPurchaseId`). */
  readonly purchaseKinds: readonly string[];
  /** All kinds of id, for a search by any id of an order. */
  readonly idKinds: readonly string[];
  /**
   * Whether one of the signatures in the headers is that of one of the secrets, over exactly these bytes, and at most five minutes
   * old or ahead. Compares in constant time.
   *
   * @param secrets those that are valid now
   * @param now epoch milliseconds
   */
  readonly verify: (body: Uint8Array, headers: Headers, secrets: readonly string[], now: number) => boolean;
  /**
   * What the text reports; undefined if it is not an object or names no type. Never throws. Types that nobody needs are `ignored`.
   *
   * @param headers those of the request; `{}` for texts that were listed or stored
   */
  readonly read: (body: string, headers: Headers) => Notification | undefined;
  readonly apiHeaders: (apiKey: string) => Readonly<Record<string, string>>;
  /** The first page of each list that reconciling reads, for what happened since then (epoch milliseconds). */
  readonly listings: (since: number) => readonly string[];
  /**
   * What a page of a list holds; undefined if the response is not such a list.
   *
   * @param path that of the page, from `listings` or from `next`
   */
  readonly page: (path: string, response: ApiResponse, since: number) => Page | undefined;
}

/** The `order_id` that the buyer knows, from the ids of an order in the sequence in which they became known. */
export const shownOrderId = ({ shownKinds }: Adapter, ids: readonly OrderId[]): string | null =>
  shownKinds.flatMap((kind) => ids.filter((id) => id.kind === kind))[0]?.id ?? null;

/** Whether the thank-you page may honour the id: a kind that nobody can guess, and no plain number. */
export const isPurchaseId = ({ purchaseKinds }: Adapter, { kind, id }: OrderId): boolean =>
  purchaseKinds.includes(kind) && !/^\d*$/.test(id);
