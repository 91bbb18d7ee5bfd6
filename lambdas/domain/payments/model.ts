import type { Processor } from '../../contract/processors';

/**
 * The reports of payment processors, in terms that are the same for all processors. Each processor has an adapter, which converts its wire
 * format to a {@link Notification}. All other code is independent of the processor. Adapters do no I/O: bytes, secrets and the time are
 * arguments, and requests to the processor are returned as descriptions.
 *
 * A notification's bytes become a license in these steps. File names without a folder are in lambdas/use-cases/payments:
 *
 * 1. **Receive** (lambdas/api/receive-payment.ts, `receive.ts`). `verify` checks the unchanged bytes. If the result is false, the response
 *    has status 401. Then `read` reads the notification. If the result is undefined, the response has status 422. `read` also reads texts
 *    without headers: the objects that the processor lists for reconciling (lambdas/events/reconcile.ts), and the stored texts of log rows
 *    that are processed again (`process.ts`).
 * 2. **Read back** (`read-back.ts`). If the connection has an `api_key`, the requests in `needs` are sent. The requests do not depend on
 *    each other, and `merge` adds the responses one after another. A request for the `email` is skipped if the notification contains the
 *    buyer's e-mail address. If a `proof` is `unavailable`, the response to the processor has status 503. If the response to another
 *    request is `unavailable`, the notification is planned without these data. Without an `api_key`, all requests in `needs` are skipped,
 *    including `proof`. Objects that the processor lists for reconciling need no `proof`.
 * 3. **Find duplicates.** `eventId` is the dedupe key within a connection. If `repeatable` is set, the dedupe key is neither checked nor
 *    stored.
 * 4. **Load** the order to which one of the `ids` (`idKey`) belongs, its licenses, and the notifications that wait or are held under any of
 *    its ids (`load-order.ts`). If the ids belong to several orders, the orders are joined. A notification with a customer's e-mail
 *    address (`buyer_known`) has no ids. It concerns every order of `customerId` (`fill-orders.ts`). The address is also stored. Each later
 *    notification of the customer that contains no address gets the stored address as its `customerEmail`.
 * 5. **Learn** (`facts.ts`). The actions become facts about objects, each with its own time: payments, refunds, disputes, the subscription,
 *    lines, the buyer. Merging facts is commutative and idempotent, so the order of arrival does not matter.
 * 6. **Derive the target** (`target.ts`). The facts alone decide which licenses the buyer should have, until when, and which causes suspend
 *    them.
 * 7. **Compare** (`difference.ts`). Only what changed between the previous and the new target is applied to the licenses, so that an
 *    operator's edits survive.
 * 8. **Commit** (`plan-transactions.ts`, `commit.ts`) the licenses, the facts and the log's rows. If another request was faster, or if the changes do not fit
 *    into one transaction, the order is loaded and planned again. The log shows the kind of the first action.
 *
 * `page` leaves out listed objects that would have no effect, so that they get no row in the log.
 */
export interface Notification {
  /**
   * The dedupe key of the notification. If the processor sends the notification again, the key is the same. Every other notification of
   * the connection has a different key.
   */
  readonly eventId: string;
  /** The processor's name for the event, such as `invoice.paid`. */
  readonly type: string;
  /** Epoch milliseconds of the reported state. Null if the processor does not report it; the time of receipt is then used. */
  readonly occurredAt: number | null;
  /**
   * Whether the notification is from the processor's test mode. Null if the processor does not report the mode; the connection's mode is
   * then used.
   */
  readonly test: boolean | null;
  /** All ids of the order in this notification, including the ids of `payment`. Empty only if the `actions` concern no order. */
  readonly ids: readonly OrderId[];
  /** The id of the subscription, which the payments log shows. */
  readonly subscriptionId: string | null;
  readonly payment: Payment | null;
  /** Refs of the checkout, such as a payment link. They apply to every line of the sale, but the refs of a line are more specific. */
  readonly checkoutRefs: readonly string[];
  /**
   * The processor's id of the buyer. A notification is never assigned to an order by this id. The id connects orders with the buyer's
   * e-mail address, which Paddle reports separately.
   */
  readonly customerId: string | null;
  readonly customerEmail: string | null;
  /** The money of the notification, for bookkeeping. No license depends on it. */
  readonly money: Money;
  /** The buyer's receipt, if the notification has a link to it. No license depends on it. */
  readonly receipt?: Receipt | null;
  /** The actions that the notification reports, at least one. The first is shown as the `action` of the notification in the log. */
  readonly actions: readonly [Action, ...Action[]];
  /** Requests to the processor for further data, which need the connection's `api_key`. */
  readonly needs: readonly ReadBack[];
  /**
   * If true, the dedupe key of the notification is not stored, because the real notification with the same key may follow. An example is
   * Gumroad's test ping. Such a notification is always ignored.
   */
  readonly repeatable: boolean;
  /** A hash of the content. Another notification with the same `eventId` is refused. Undefined: such a notification is a duplicate. */
  readonly content?: string;
  /**
   * The id by which the order is found. If an order with licenses has this id, the other ids belong to this order only if no other order
   * has them. Undefined: all ids are equal.
   */
  readonly leadingId?: OrderId;
}

/** An id of an order. Ids of different kinds can be equal: Lemon Squeezy numbers the objects of each kind from 1. */
export interface OrderId {
  /** The kind of object, such as `subscription` or `payment_intent`. */
  readonly kind: string;
  readonly id: string;
}

/** The id and its kind in one string, which is unique within a connection. */
export const idKey = ({ kind, id }: OrderId): string => `${kind}:${id}`;

/** The money that a notification reports as paid or refunded. A fact that the notification does not report is null. */
export interface Money {
  /**
   * The id of the payment. A refund that has its own id is reported with the id of the refund. Notifications that report the same money
   * have the same `transactionId`. If there is an `amount` but no `transactionId`, the amount must not be added, because another
   * notification reports the same money with a `transactionId`.
   */
  readonly transactionId: string | null;
  /** The amount including tax, as an integer in the currency's minor unit. */
  readonly amount: number | null;
  /** The processor's fee, as an integer in the currency's minor unit. */
  readonly fee: number | null;
  /** The code of the currency (ISO 4217). */
  readonly currency: string | null;
  /** The country of the buyer, ISO 3166-1 alpha-2. */
  readonly country: string | null;
}

/** A link to the processor's page with the buyer's receipt or invoice, or to the processor's portal for the buyer. */
export interface Receipt {
  /** An `https:` URL. */
  readonly url: string;
  /** How long the link works after the time of its notification, in ms. */
  readonly validMs: number;
}

/** The URLs of the processor's own pages. A URL that cannot be known is null. */
export interface Links {
  readonly order: string | null;
  readonly subscription: string | null;
}

/** A payment of an order: the purchase, one period of a subscription, or a charge within a period. */
export interface Payment {
  /** The ids in the notification that identify this payment and no other payment. */
  readonly ids: readonly OrderId[];
  /** The paid amount, in the unit in which the processor reports refunds. Null if it is unknown. */
  readonly amount?: number | null;
  /** Whether this is the first payment of its order. Lemon Squeezy reports this payment as an order and also as an invoice. */
  readonly isFirst?: boolean;
  /** The period that was paid, if a notification about a refund reports it. */
  readonly period?: Period;
  /** For processors whose refunds name items of the payment: maps the id of each item to the item's line. */
  readonly items?: Readonly<Record<string, ItemOfPayment>>;
}

export interface ItemOfPayment {
  /** The id of the line. */
  readonly line: string;
  readonly amount: number | null;
}

/** A paid time, in epoch milliseconds. `from` is null if it is unknown. */
export interface Period {
  readonly from: number | null;
  readonly until: number;
}

/** One line of an order. */
export interface Line {
  /** The id of the line. If the processor's data allow it, the adapter uses the same id in every notification of the order. */
  readonly id: string;
  /**
   * The ids of the product and price, from the most to the least specific. A plan's `ref` can be any of them. The list is empty if the ids
   * are unknown.
   */
  readonly refs: readonly string[];
  /** The number of sold units. Nothing is issued for a line with the quantity 0. */
  readonly quantity: number;
  /** Whether the processor says that the line does not recur. Paid periods of the order do not apply to such a line. */
  readonly oneOff: boolean;
}

/** A refund. The amount has the same unit as {@link Payment.amount}. */
export interface Refund {
  /** The id of the refund, or of the object whose refunds the processor adds up. If it is reported repeatedly, the largest amount counts. */
  readonly id: string;
  readonly amount: number | null;
  /** The time of the refund. Undefined: the time of the notification. Null: the time of its receipt. */
  readonly at?: number | null;
  /** The amount of the charge that was refunded, if a payment can consist of several charges (Stripe). */
  readonly ofCharge?: number | null;
  /** The refunded items of the payment (see {@link Payment.items}), if the refund names them. */
  readonly items?: readonly RefundedItem[];
  /** Whether another refund of the payment reports the same money, without the items (Stripe's credit notes). */
  readonly isDetail?: true;
}

export interface RefundedItem {
  readonly id: string;
  readonly inFull: boolean;
  readonly amount: number | null;
}

/** The id of the line that stands for the whole order if the order's lines are unknown. */
export const WHOLE_ORDER = 'order';

/** The lines and the period that were paid. */
interface Paid {
  /** The lines; empty if the notification does not show them. */
  readonly lines: readonly Line[];
  /** The end of the paid period; null if it is unknown or nothing recurs. */
  readonly paidUntil: number | null;
  /** The start of the paid period; if it is undefined, the time of the payment counts as the start. */
  readonly paidFrom?: number | null;
  /** Whether the period is a free trial, which is not a paid period. */
  readonly isTrial?: true;
}

export type Action =
  /** The order was paid. `lines` is never empty: if the lines are unknown, the list contains one line named {@link WHOLE_ORDER}. */
  | ({ readonly kind: 'sale' } & Paid)
  /** A further payment or a paid period. Without `lines`, this action cannot start an order. */
  | ({ readonly kind: 'renewal' } & Paid)
  /** A payment that begins no period, such as the difference after a change of plan. `lines` are sold once. */
  | ({ readonly kind: 'charged'; readonly paidUntil: null } & Paid)
  /**
   * Reports only that several ids belong to the same order. The notification waits until the order is known and, if it names a payment,
   * until that payment is recorded.
   */
  | { readonly kind: 'linked' }
  /** Reports that the customer `customerId` has the e-mail address `customerEmail`. `ids` is empty. */
  | { readonly kind: 'buyer_known' }
  | { readonly kind: 'payment_failed' }
  | { readonly kind: 'paid_again' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'resumed' }
  /** The payment was refunded in full. */
  | { readonly kind: 'refunded'; readonly refund?: Refund }
  /** A part of the payment was refunded. If all parts add up to what was paid for the period, the period counts as refunded in full. */
  | { readonly kind: 'refunded_in_part'; readonly refund?: Refund }
  /** `id` is the id of the dispute. If it is missing, the dispute of the payment is meant. */
  | { readonly kind: 'dispute_opened'; readonly id?: string }
  /** If `isReversal` is set, `id` is the id of the reversal itself, which ends one open dispute of the payment (Paddle). */
  | { readonly kind: 'dispute_won'; readonly id?: string; readonly isReversal?: true }
  | { readonly kind: 'dispute_lost'; readonly id?: string }
  /**
   * The subscription was canceled, but runs until `endsAt`. Until then nothing changes. `endsAt` is null if the time is unknown, or if the
   * cancellation was withdrawn.
   */
  | { readonly kind: 'cancellation_announced'; readonly endsAt: number | null }
  /** The subscription has ended. `endedAt` is used only if no paid period is known. */
  | { readonly kind: 'ended'; readonly endedAt: number | null }
  /** All installments were paid: the buyer keeps the product. */
  | { readonly kind: 'paid_off' }
  /**
   * The current lines of the subscription. If `complete` is set, `lines` has all recurring lines: every other recurring line of the order
   * was replaced or removed.
   */
  | { readonly kind: 'changed'; readonly lines: readonly Line[]; readonly complete?: boolean }
  /** A `sale`, `renewal`, `charged` or `changed` with more lines than can be stored (see limits.ts). */
  | {
      readonly kind: 'oversized';
      readonly of: 'sale' | 'renewal' | 'charged' | 'changed';
      readonly paidUntil: number | null;
      readonly reason: string;
    }
  /** The buyer may have changed the notification. It is held without any effect. `ids` is empty, and `repeatable` is set. */
  | { readonly kind: 'untrusted'; readonly reason: string }
  /** The notification has no effect. `reason` is a sentence for the operator. */
  | { readonly kind: 'ignored'; readonly reason: string };

/** A GET request to the processor. The caller adds the base URL (`apiBase` or a deployment setting) and the headers of `apiHeaders`. */
export interface ReadBack {
  /**
   * The data that the response adds:
   *
   * - `lines`: the lines of the order.
   * - `email`: the buyer's e-mail address.
   * - `period`: the end of the paid period.
   * - `order`: further ids of the order, because the service may not know the ids in the notification.
   * - `refunds`: whether the partial refunds add up to a full refund, or which lines they concern.
   * - `proof`: whether the notification really comes from the processor. If the connection has an `api_key`, nothing may be done without
   *   this proof.
   */
  readonly fills: 'lines' | 'email' | 'period' | 'order' | 'refunds' | 'proof';
  /** The path and query of the request, without the base URL. */
  readonly path: string;
  /**
   * Adds the data of the response to the notification. The result is `unavailable` if the response is unusable, because of an error of the
   * processor, a wrong key or a malformed body. If the response disproves the notification, the returned notification is `ignored` and
   * `repeatable`.
   */
  readonly merge: (notification: Notification, response: ApiResponse) => Notification | 'unavailable';
}

export interface ApiResponse {
  readonly status: number;
  /** The parsed JSON of the response; undefined if the response is not JSON. */
  readonly body: unknown;
}

/** A page of a list of the processor. */
export interface Page {
  /** The listed objects, oldest first, as texts that {@link Adapter.read} can read. Objects that would have no effect are left out. */
  readonly bodies: readonly string[];
  /** The path of the next page; null after the last page. The path can be stored to continue later. */
  readonly next: string | null;
}

/** Headers of a request. Their names are in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Adapter {
  readonly processor: Processor;
  /** Whether the processor signs its notifications. If not (Gumroad), there is no signing secret, and the URL is the only credential. */
  readonly signs: boolean;
  /**
   * The reason why a signing secret is refused, such as `must have …`; undefined if the secret is accepted. A short secret is refused,
   * because anyone who guesses it can forge sales.
   */
  readonly refusesSecret: (secret: string) => string | undefined;
  /** Whether the processor has an API from which data and missed notifications can be read. If not, a connection has no `api_key`. */
  readonly hasApi: boolean;
  /** The base URL of the processor's API for each mode of a connection, without a slash at the end. */
  readonly apiBase: Readonly<Record<'live' | 'test', string>>;
  /**
   * The kinds of id that are shown as `order_id`, the preferred kind first. If an order has several ids of a kind, the id that became known
   * first is shown.
   */
  readonly shownKinds: readonly string[];
  /** The kinds of id that the thank-you page accepts, because nobody can guess such ids (`isPurchaseId`). */
  readonly purchaseKinds: readonly string[];
  /** All kinds of id, so that operators can search by any id of an order. */
  readonly idKinds: readonly string[];
  /**
   * Whether a signature in the headers is valid, which means that one of the secrets signed exactly these bytes. If the signature contains
   * a time, the time must be within five minutes of the current time. The comparison takes constant time. Always true if the processor does
   * not sign.
   *
   * @param secrets the secrets that are currently valid
   * @param now epoch milliseconds
   */
  readonly verify: (body: Uint8Array, headers: Headers, secrets: readonly string[], now: number) => boolean;
  /**
   * Reads the notification in a text. Undefined if the text is not an object or has no event type. The function never throws. Event types
   * that are not needed result in `ignored`.
   *
   * @param headers the headers of the request; `{}` for texts that were listed or stored
   */
  readonly read: (body: string, headers: Headers) => Notification | undefined;
  /**
   * Why a signed body is refused with 422: a sentence that names each invalid field. Undefined if the body is accepted. Only an adapter
   * whose format is the service's own refuses fields; a processor can't correct what it sends.
   *
   * @param now epoch milliseconds
   */
  readonly refusal?: (body: string, now: number) => string | undefined;
  /** Whether the response to a sale contains the issued licenses, for a shop that shows them to the buyer. */
  readonly respondsWithLicenses?: true;
  /**
   * The URLs of the processor's own pages about an order.
   *
   * @param ids the ids in the notification, followed by the other ids of its order
   * @param test whether the order belongs to the test mode
   */
  readonly links: (ids: readonly OrderId[], test: boolean) => Links;
  readonly apiHeaders: (apiKey: string) => Readonly<Record<string, string>>;
  /** The path of the first page of each list that reconciling reads. The lists show changes since a time (epoch milliseconds). */
  readonly listings: (since: number) => readonly string[];
  /**
   * Reads a page of a list. Undefined if the response is not a page of that list.
   *
   * @param path the path of the page, from `listings` or from `next`
   */
  readonly page: (path: string, response: ApiResponse, since: number) => Page | undefined;
}

/** The `order_id` that the buyer knows. The `ids` must be in the order in which they became known. */
export const shownOrderId = ({ shownKinds }: Adapter, ids: readonly OrderId[]): string | null =>
  shownKinds.flatMap((kind) => ids.filter((id) => id.kind === kind))[0]?.id ?? null;

/**
 * Whether the thank-you page may accept the id. Only kinds of id that nobody can guess are accepted. A plain number is never accepted,
 * regardless of its kind.
 */
export const isPurchaseId = ({ purchaseKinds }: Adapter, { kind, id }: OrderId): boolean =>
  purchaseKinds.includes(kind) && !/^\d*$/.test(id);
