import { monthOf } from '../time';
import { idKey, type Action, type Money, type Notification } from './model';
import { NO_MONEY } from './notification';

/**
 * The money of an order: what was paid and refunded. Several notifications can report the same money, in any order. Of all reports of a
 * transaction, the largest amount counts, so a repeated or late notification adds nothing (docs/spec/payments.md, Amounts).
 */
export interface Ledger {
  readonly transactions: readonly Transaction[];
  /** What remains of transactions that are no longer stored. */
  readonly earlier: { readonly keys: readonly string[]; readonly sums: Sums };
}

/** A payment or refund. Amounts are integers in the currency's minor unit. */
export interface Transaction {
  /** The processor's id, with the direction: payments and refunds can have the same id. */
  readonly key: string;
  readonly isRefund: boolean;
  readonly amount: number;
  readonly fee: number | null;
  readonly currency: string | null;
  /** The time of the earliest report, epoch ms. */
  readonly at: number;
}

/** The numbers that are added up. `fees` is missing if no fee was reported. */
export const figures = ['paid', 'refunded', 'fees', 'new', 'renewed', 'lost'] as const;
export type Figure = (typeof figures)[number];
/** Numbers by month and currency, see {@link sumKey}. Zeros are left out. */
export type Sums = Readonly<Record<string, Readonly<Partial<Record<Figure, number>>>>>;

/** The key of a month in UTC and a currency: `2026-11 USD`, or `2026-11` and a space if the currency is unknown. */
export const sumKey = (at: number, currency: string | null): string => `${monthOf(at)} ${currency ?? ''}`;

/** The month and the currency in a key. */
export const partsOf = (key: string): { readonly month: string; readonly currency: string | null } => ({
  month: key.slice(0, 7),
  currency: key.slice(8) || null,
});

export const noLedger: Ledger = { transactions: [], earlier: { keys: [], sums: {} } };

/** Adds the numbers of `b` to those of `a`, or subtracts them. */
export function added(a: Sums, b: Sums, sign: 1 | -1 = 1): Sums {
  const sums: Record<string, Partial<Record<Figure, number>>> = { ...a };
  for (const [key, counts] of Object.entries(b)) {
    const of: Partial<Record<Figure, number>> = { ...sums[key] };
    for (const name of figures) {
      const sum = (of[name] ?? 0) + sign * (counts[name] ?? 0);
      if (sum === 0) delete of[name];
      else of[name] = sum;
    }
    if (Object.keys(of).length === 0) delete sums[key];
    else sums[key] = of;
  }
  return sums;
}

/** Whether an action reports a refund. The amounts of all other actions were paid. */
const isRefund = ({ kind }: Action): boolean => kind === 'refunded' || kind === 'refunded_in_part';

/**
 * The money that a notification reports. An ignored notification reports none, because it is neither a payment nor a refund. An example is
 * a test notification that repeats a real sale.
 */
export const moneyOf = ({ actions: [first], money }: Pick<Notification, 'actions' | 'money'>): Money =>
  first.kind === 'ignored' ? NO_MONEY : money;

/** Maximum number of transactions that are stored one by one. Earlier ones are added up. */
const MAX_TRANSACTIONS = 60;
const MAX_EARLIER = 500;

/** Of two values the smaller one, so that the result does not depend on the order of arrival. */
const smaller = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b < a) ? b : a);

function withTransaction(ledger: Ledger, one: Transaction): Ledger {
  if (ledger.earlier.keys.includes(one.key)) return ledger;
  const known = ledger.transactions.find(({ key }) => key === one.key);
  const merged = known
    ? {
        ...known,
        amount: Math.max(known.amount, one.amount),
        fee: known.fee === null ? one.fee : Math.max(known.fee, one.fee ?? 0),
        currency: smaller(known.currency, one.currency),
        at: Math.min(known.at, one.at),
      }
    : one;
  return bounded({ ...ledger, transactions: [...ledger.transactions.filter((other) => other !== known), merged] });
}

function bounded({ transactions, earlier }: Ledger): Ledger {
  const sorted = transactions.toSorted((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
  const old = sorted.slice(0, Math.max(0, sorted.length - MAX_TRANSACTIONS));
  return {
    transactions: sorted.slice(old.length),
    earlier:
      old.length === 0
        ? earlier
        : { keys: [...earlier.keys, ...old.map(({ key }) => key)].slice(-MAX_EARLIER), sums: added(earlier.sums, sumsOf(old)) },
  };
}

const sumsOf = (transactions: readonly Transaction[]): Sums =>
  transactions.reduce<Sums>((sums, { isRefund: refund, amount, fee, currency, at }) => {
    return added(sums, { [sumKey(at, currency)]: refund ? { refunded: amount } : { paid: amount, ...(fee !== null && { fees: fee }) } });
  }, {});

/**
 * Adds the money of a notification.
 *
 * @param at when the notification's event occurred, epoch ms
 */
export function withMoney(ledger: Ledger, notification: Pick<Notification, 'actions' | 'money'>, at: number): Ledger {
  const { transactionId: id, amount, fee, currency } = moneyOf(notification);
  // Without an id, another notification reports the same money.
  if (amount === null || id === null) return ledger;
  const refund = isRefund(notification.actions[0]);
  return withTransaction(ledger, { key: idKey({ kind: refund ? 'refunded' : 'paid', id }), isRefund: refund, amount, fee, currency, at });
}

/** Combines the money of two orders that turned out to be the same order. */
export function joinedLedgers(a: Ledger, b: Ledger): Ledger {
  const known = new Set([...a.earlier.keys, ...b.earlier.keys]);
  const start: Ledger = {
    transactions: a.transactions.filter(({ key }) => !known.has(key)),
    earlier: { keys: [...known].slice(-MAX_EARLIER), sums: added(a.earlier.sums, b.earlier.sums) },
  };
  return b.transactions.filter(({ key }) => !known.has(key)).reduce(withTransaction, start);
}

/** All money of an order, by month and currency. Amounts without a currency are in the currency of the order, if there is exactly one. */
export function moneyByMonth({ transactions, earlier }: Ledger): Sums {
  const sums = added(earlier.sums, sumsOf(transactions));
  const [currency, ...others] = new Set(Object.keys(sums).flatMap((key) => partsOf(key).currency ?? []));
  if (currency === undefined || others.length > 0) return sums;
  return Object.entries(sums).reduce<Sums>((all, [key, counts]) => added(all, { [`${partsOf(key).month} ${currency}`]: counts }), {});
}

/** The currency of an order: if it has several, the first in the alphabet; null if no amount has a currency. */
export const currencyOfOrder = (ledger: Ledger): string | null =>
  Object.keys(moneyByMonth(ledger))
    .map((key) => partsOf(key).currency)
    .reduce(smaller, null);

/** The amounts of an order in one currency, in the currency's minor unit. */
export interface Amounts {
  readonly currency: string | null;
  readonly paid: number;
  readonly refunded: number;
  /** The processor's fees; null if no fee was reported. */
  readonly fees: number | null;
  /** What was paid minus what was refunded. */
  readonly net: number;
}

/** The amounts of an order, by currency. */
export function amountsOf(ledger: Ledger): readonly Amounts[] {
  // Every sum gets the key of the same month, so that the sums of a currency are added up.
  const sums = Object.entries(moneyByMonth(ledger)).reduce<Sums>(
    (all, [key, counts]) => added(all, { [sumKey(0, partsOf(key).currency)]: counts }),
    {},
  );
  return Object.entries(sums)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { paid = 0, refunded = 0, fees = null }]) => ({
      currency: partsOf(key).currency,
      paid,
      refunded,
      fees,
      net: paid - refunded,
    }));
}
