import { isPlainUrl } from '../../contract/url';
import type { Action, Line, Links, Money, Notification, OrderId, ReadBack, Receipt } from './model';

/** Functions with which the adapters build notifications. */

/** The meaning of a processor's event: its actions, and the other fields that the event contains. */
export type Meaning = Partial<Notification> & Pick<Notification, 'actions'>;

export const NO_MONEY: Money = { transactionId: null, amount: null, fee: null, currency: null, country: null };

/** Builds a notification. Fields that an adapter does not set are unknown. */
export const notification = (known: Pick<Notification, 'eventId' | 'type' | 'occurredAt'> & Meaning): Notification => ({
  test: null,
  ids: [],
  subscriptionId: null,
  payment: null,
  checkoutRefs: [],
  customerId: null,
  customerEmail: null,
  money: NO_MONEY,
  needs: [],
  repeatable: false,
  ...known,
});

/** Converts an object of ids by kind to a list of the known ids. */
export const idsOf = (ids: Readonly<Record<string, string | null>>): readonly OrderId[] =>
  Object.entries(ids).flatMap(([kind, id]) => (id === null ? [] : [{ kind, id }]));

/** The first id of a kind; null if there is none. */
export const idOf = (ids: readonly OrderId[], kind: string): string | null => ids.find((id) => id.kind === kind)?.id ?? null;

/** The URL of a processor's page about the object with the id; null if the id is null. */
export const pageAddress = (base: string, id: string | null): string | null => (id === null ? null : `${base}/${encodeURIComponent(id)}`);

/** Maximum length of the link to a receipt, in characters. */
const MAX_RECEIPT_URL = 2048;

/** The link to the buyer's receipt; null if the value is not an `https:` URL, or is too long. */
export const receiptAt = (value: unknown, validMs: number): Receipt | null =>
  typeof value === 'string' && value.length <= MAX_RECEIPT_URL && isPlainUrl(value, 'https:') ? { url: value, validMs } : null;

export const NO_LINKS: Links = { order: null, subscription: null };

export const ignored = (reason: string): [Action] => [{ kind: 'ignored', reason }];

export const unneeded = (type: string): [Action] => ignored(`Events of the type ${type.slice(0, 100)} are ignored.`);

/** The known refs of a line, without duplicates. */
export const refsOf = (...refs: readonly (string | null)[]): readonly string[] => [...new Set(refs.filter((ref) => ref !== null))];

/** Merges lines with the same id by adding their quantities. */
export function merged(lines: readonly Line[]): readonly Line[] {
  const byId = new Map<string, Line>();
  for (const line of lines) byId.set(line.id, { ...line, quantity: line.quantity + (byId.get(line.id)?.quantity ?? 0) });
  return [...byId.values()];
}

/** Replaces the lines in every `sale` and `renewal` of a notification. */
export const withLines = (notification: Notification, lines: readonly Line[]): Notification => ({
  ...notification,
  actions: mapActions(notification.actions, (action) =>
    action.kind === 'sale' || action.kind === 'renewal' ? { ...action, lines } : action,
  ),
});

export const mapActions = ([first, ...rest]: Notification['actions'], change: (action: Action) => Action): Notification['actions'] => [
  change(first),
  ...rest.map(change),
];

/**
 * The actions of a notification: all candidates that are not undefined. If all candidates are undefined, `otherwise` is the only action.
 */
export function actionsOf(candidates: readonly (Action | undefined)[], otherwise: Action): Notification['actions'] {
  const [first = otherwise, ...rest] = candidates.filter((action) => action !== undefined);
  return [first, ...rest];
}

/** Builds a request for further data. A response is used only if it has status 200. */
export const readBack = (
  fills: ReadBack['fills'],
  path: string,
  add: (notification: Notification, body: unknown) => Notification | 'unavailable',
): ReadBack => ({
  fills,
  path,
  merge: (notification, { status, body }) => (status === 200 ? add(notification, body) : 'unavailable'),
});
