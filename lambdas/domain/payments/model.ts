import type { Processor } from '../../contract/processors';

/**
 * What payment processors report, in terms that are the same for all of them. One adapter for each processor converts
 * its wire format to a {@link Notification}; the rest of the code is independent of the processor.
 * Adapters are pure: bytes, secrets and the time are arguments, and requests are returned as descriptions.
 *
 * The steps from a notification's bytes to a license. File names without a folder are those in lambdas/use-cases/payments:
 *
 * 1. **Receive** (lambdas/api/receive-payment.ts, `receive.ts`). `verify` checks the unchanged bytes; false is 401. Then `read`;
 *    undefined is 422. Reconciled objects (lambdas/events/reconcile.ts) and rows that are processed again (`process.ts`) go through the
 *    same `read`, with the stored text and no headers.
 * 2. **Duplicate.** `eventId` is the dedupe key within a connection. If `repeatable`, the log's row is stored without it.
 * 3. **Read back** (`read-back.ts`). With an `api_key`, send each request in `needs` (they are independent of one another) and add the
 *    responses with `merge`, one after the other. Skip requests that are not needed: `order` if the order was found, `email` if the
 *    customer is known. A `proof` that fails with `unavailable` is 503; any other is skipped, and the notification is
 *    planned as it is. Without an `api_key`, all of `needs` is skipped, including `proof`. Listed objects need no `proof`.
 * 4. **Load** (`load.ts`) the order that any of `ids` (`idKey`) belongs to, its licenses, and the notifications that wait or are held
 *    under any of its ids. Ids can belong to several orders that turn out to be one (`joinStored`). A customer's address (`buyer_known`,
 *    without ids) concerns every order of `customerId` (`fill-orders.ts`), and is stored for later orders: the `customerEmail` that is
 *    known of a customer is added to each later notification.
 * 5. **Plan** with `planOrder` (plan/plan-order.ts) what is issued, how licenses change, and the outcome of each notification;
 *    `planLicenses` turns that into licenses and changes, and `plan-commit.ts` into the next transaction.
 * 6. **Commit** (`commit.ts`) the plan with the log's rows. If another request was faster, or the plan did not fit into one transaction, load and plan
 *    again. The log shows the kind of the first action.
 *
 * What `planOrder` relies on:
 *
 * - `payment.sequence` increases with each payment of an order, and is equal for all notifications of one payment. A refund of a
 *   payment with a lower sequence concerns an earlier period. A refund of a payment whose ids are not known yet waits for it.
 * - `occurredAt` is the time of the reported state. Of two reports on the same topic (`topicOf`), the older one is dropped if it
 *   arrives later.
 *
 * A notification from reconciling that changes nothing needs no log row.
 */
export interface Notification {
  /** The dedupe key: equal if the same notification is sent again, and different for every other notification of the connection. */
  readonly eventId: string;
  /** The processor's name for it, such as `invoice.paid`. */
  readonly type: string;
  /** Epoch milliseconds of the reported state; null if the processor does not say. Then the time of receipt is used. */
  readonly occurredAt: number | null;
  /** True: test mode. Null: the processor does not say, and the connection's mode is used. */
  readonly test: boolean | null;
  /** All ids of the order in this notification, including those of `payment`. Empty only if `actions` concern no order. */
  readonly ids: readonly OrderId[];
  /** The subscription's id, for the log. */
  readonly subscriptionId: string | null;
  readonly payment: Payment | null;
  /** The processor's id of the buyer. It is never used to find an order; Paddle reports the buyer's address under it. */
  readonly customerId: string | null;
  readonly customerEmail: string | null;
  /** For bookkeeping only: no license depends on it. */
  readonly money: Money;
  /** What it reports, at least one action; the first is the `action` of its row in the log. */
  readonly actions: readonly [Action, ...Action[]];
  /** Further data that can be requested from the processor with the connection's `api_key`. */
  readonly needs: readonly ReadBack[];
  /**
   * True: its dedupe key stays unused, because the real notification with the same key may follow (Gumroad's test
   * ping). It is always ignored.
   */
  readonly repeatable: boolean;
}

/** One id of an order. Ids of different kinds can be equal (Lemon Squeezy numbers all its objects from 1). */
export interface OrderId {
  /** Such as `subscription` or `payment_intent`. */
  readonly kind: string;
  readonly id: string;
}

/** The id in one string, unique within a connection. */
export const idKey = ({ kind, id }: OrderId): string => `${kind}:${id}`;

/** The money that a notification reports as paid or refunded. Null: it reports none, or not this fact. */
export interface Money {
  /**
   * The id of the payment, or of the refund if each partial refund has one. Notifications that report the same money have the same id.
   * Null for an amount: another notification reports the same money under an id that this one does not contain.
   */
  readonly transactionId: string | null;
  /** An integer in the currency's minor unit, including tax. */
  readonly amount: number | null;
  /** The processor's fee, in the same unit. */
  readonly fee: number | null;
  /** ISO 4217. */
  readonly currency: string | null;
  /** The buyer's country, ISO 3166-1 alpha-2. */
  readonly country: string | null;
}

/** The processor's own pages. Null: its address cannot be known. */
export interface Links {
  readonly order: string | null;
  readonly subscription: string | null;
}

/** One payment of an order: the purchase, or one period of a subscription. */
export interface Payment {
  /** Those ids of the notification that identify this payment and no other. */
  readonly ids: readonly OrderId[];
  /** Increases from payment to payment of one order; null if the notification does not say. */
  readonly sequence: number | null;
  /** The amount, in the currency's smallest unit, if the processor reports each partial refund separately (Paddle). */
  readonly total?: number | null;
}

/** One line of an order. */
export interface Line {
  /** The same in every notification of the order, as far as the processor allows. */
  readonly id: string;
  /** The ids of the product, from the most to the least specific: candidates for a plan's `ref`. Empty: unknown. */
  readonly refs: readonly string[];
  /** At least 1. */
  readonly quantity: number;
  /** True: the processor says that the line does not recur; periods of the order do not apply to it. */
  readonly oneOff: boolean;
}

/** A part of a payment that was given back, in the currency's smallest unit. */
export interface RefundedPart {
  /** Id of the refund: if it is reported twice, it counts once. */
  readonly id: string;
  readonly amount: number;
}

/** The id of a line that stands for the whole order, if its lines are unknown. */
export const WHOLE_ORDER = 'order';

export type Action =
  /** Paid. `lines` is never empty: if they are unknown, there is one named {@link WHOLE_ORDER}. */
  | { readonly kind: 'sale'; readonly lines: readonly Line[]; readonly paidUntil: number | null }
  /**
   * A further payment, or a paid period. Without `lines` it cannot start an order. `paidUntil` null: paid, but it is
   * not known until when.
   */
  | { readonly kind: 'renewal'; readonly lines: readonly Line[]; readonly paidUntil: number | null }
  /** Only joins ids of an order. It waits until the order has licenses (or issues none for good), and is then done. */
  | { readonly kind: 'linked' }
  /** Reports that `customerId` has `customerEmail`; `ids` is empty. */
  | { readonly kind: 'buyer_known' }
  | { readonly kind: 'payment_failed' }
  | { readonly kind: 'paid_again' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'resumed' }
  /** In full. */
  | { readonly kind: 'refunded' }
  /**
   * `part` is set if the processor reports each partial refund separately: parts that add up to the payment's `total`
   * are a full refund.
   */
  | { readonly kind: 'refunded_in_part'; readonly part?: RefundedPart }
  | { readonly kind: 'dispute_opened' }
  | { readonly kind: 'dispute_won' }
  | { readonly kind: 'dispute_lost' }
  /** Canceled, but still running until `endsAt`, if that is known: nothing changes yet. Null also for a withdrawn cancellation. */
  | { readonly kind: 'cancellation_announced'; readonly endsAt: number | null }
  /** The subscription is over. `endedAt` is used only if no paid period is known. */
  | { readonly kind: 'ended'; readonly endedAt: number | null }
  /**
   * The current lines of the subscription. `complete`: these are all recurring lines, so that any other line of the
   * order was replaced or removed.
   */
  | { readonly kind: 'changed'; readonly lines: readonly Line[]; readonly complete?: boolean }
  /** A `sale`, `renewal` or `changed` with more lines than can be stored: see limits.ts. */
  | { readonly kind: 'oversized'; readonly of: 'sale' | 'renewal' | 'changed'; readonly paidUntil: number | null; readonly reason: string }
  /** `reason` is a sentence for the operator. */
  | { readonly kind: 'ignored'; readonly reason: string };
export type ActionKind = Action['kind'];

/** What an action reports on. Of two reports on the same topic of an order, the older one is dropped if it arrives later. */
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
 * The topic of an action; undefined if it counts regardless of when it arrives. `sale` and `renewal` always count for
 * the expiry (which only moves forward). They also report on `payment`, as `paid_again` does: an older `payment_failed`
 * that arrives after them is dropped.
 */
export const topicOf = (kind: ActionKind): Topic | undefined => (kind === 'sale' || kind === 'renewal' ? 'payment' : topics[kind]);

/**
 * The line of an order that a line of a notification refers to: the one with the same id, else one with a common ref,
 * else the only line if both sides have just one. A line for the whole order matches every line.
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

/** The lines of an order, compared with the current lines of a subscription. */
export interface ComparedLines<Known> {
  readonly kept: readonly { readonly known: Known; readonly line: Line }[];
  readonly added: readonly Line[];
  readonly removed: readonly Known[];
}

/**
 * Matches the lines of an order with a subscription's current lines: by the same id, else by a common ref. If the
 * current lines are `complete`, and exactly one line is gone and one is new, both are the same line on another plan.
 * All other lines that are gone were removed.
 *
 * @param known a quantity of 0 is a line that was removed earlier: only its own id matches it
 * @param unsold ids of previous lines of the subscription for which nothing was issued
 */
export function compareLines<Known extends Line>(
  known: readonly Known[],
  lines: readonly Line[],
  complete: boolean,
  unsold: readonly string[],
): ComparedLines<Known> {
  const kept: { known: Known; line: Line }[] = [];
  // A line that does not recur is not part of a subscription.
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
  // A line for the whole order matches every line.
  return isWhole ? { kept, added: [], removed: [] } : { kept, added, removed: complete ? gone : [] };
}

/** A GET to the processor. The base address (`apiBase` or a deployment setting) and the headers of `apiHeaders` are added. */
export interface ReadBack {
  /**
   * What the response adds. `lines`: what was bought. `email`: the buyer's address. `period`: until when it is paid.
   * `order`: further ids, needed only if the known ones find no order. `refunds`: whether the partial refunds are a
   * full refund. `proof`: that the notification really comes from the processor; if there is an `api_key`, nothing may
   * be done without it.
   */
  readonly fills: 'lines' | 'email' | 'period' | 'order' | 'refunds' | 'proof';
  /** Path and query, below the base address. */
  readonly path: string;
  /**
   * The notification with the data of the response. `unavailable`: the response is unusable (an error of the processor,
   * a wrong key, a malformed body). If a proof fails for good, the result is a notification that is `ignored` and
   * `repeatable`.
   */
  readonly merge: (notification: Notification, response: ApiResponse) => Notification | 'unavailable';
}

export interface ApiResponse {
  readonly status: number;
  /** The parsed JSON; undefined if the response is not JSON. */
  readonly body: unknown;
}

/** One page of a processor's list. */
export interface Page {
  /** Texts for {@link Adapter.read}, oldest first, in the format of notifications; without those that would have no effect. */
  readonly bodies: readonly string[];
  /** The path of the next page; null after the last. Store it to resume. */
  readonly next: string | null;
}

/** Header names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Adapter {
  readonly processor: Processor;
  /** False: the processor signs nothing, there is no signing secret, and the URL alone is the credential (Gumroad). */
  readonly signs: boolean;
  /**
   * Why a text is refused as a signing secret, such as `must have …`: a short one can be guessed, and sales can then be
   * forged. Undefined: it is accepted.
   */
  readonly refusesSecret: (secret: string) => string | undefined;
  /** The base address of its API, by the connection's mode, without a slash at the end. */
  readonly apiBase: Readonly<Record<'live' | 'test', string>>;
  /** The kinds of id that are shown as `order_id`, the preferred one first. Of several ids of a kind, the one that became known first. */
  readonly shownKinds: readonly string[];
  /** The kinds of id that the thank-you page accepts, because nobody can guess them (`isPurchaseId`). */
  readonly purchaseKinds: readonly string[];
  /** All kinds of id, for a search by any id of an order. */
  readonly idKinds: readonly string[];
  /**
   * Whether one of the signatures in the headers was made with one of the secrets, over exactly these bytes, and is
   * within five minutes of the present time. Compares in constant time.
   *
   * @param secrets those that are currently valid
   * @param now epoch milliseconds
   */
  readonly verify: (body: Uint8Array, headers: Headers, secrets: readonly string[], now: number) => boolean;
  /**
   * The notification in the text; undefined if it is not an object or has no type. Never throws. Types that are not
   * needed are `ignored`.
   *
   * @param headers those of the request; `{}` for texts that were listed or stored
   */
  readonly read: (body: string, headers: Headers) => Notification | undefined;
  /**
   * The processor's own pages about an order.
   *
   * @param ids those of the notification first, then the others of its order
   * @param test whether the order belongs to the test mode
   */
  readonly links: (ids: readonly OrderId[], test: boolean) => Links;
  readonly apiHeaders: (apiKey: string) => Readonly<Record<string, string>>;
  /** The first page of each list that reconciling reads, to find changes since that time (epoch milliseconds). */
  readonly listings: (since: number) => readonly string[];
  /**
   * The content of a page of a list; undefined if the response is not such a list.
   *
   * @param path that of the page, from `listings` or from `next`
   */
  readonly page: (path: string, response: ApiResponse, since: number) => Page | undefined;
}

/** The `order_id` that the buyer knows. `ids` are in the order in which they became known. */
export const shownOrderId = ({ shownKinds }: Adapter, ids: readonly OrderId[]): string | null =>
  shownKinds.flatMap((kind) => ids.filter((id) => id.kind === kind))[0]?.id ?? null;

/** Whether the thank-you page may accept the id: its kind cannot be guessed, and it is not a plain number. */
export const isPurchaseId = ({ purchaseKinds }: Adapter, { kind, id }: OrderId): boolean =>
  purchaseKinds.includes(kind) && !/^\d*$/.test(id);
