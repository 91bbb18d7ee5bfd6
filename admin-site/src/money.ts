import type { Payment } from './api';
import { money } from './currency';
import { language, t } from './texts';

/** The amounts that the notifications of payment processors report. */

/** Created when a country is first shown, because its creation delays the start of the page. */
let countries: Intl.DisplayNames | undefined;

/** The name of a country. @param code ISO 3166-1 alpha-2 */
export function country(code: string): string {
  countries ??= new Intl.DisplayNames(language, { type: 'region' });
  return countries.of(code) ?? code;
}

const isRefund = ({ action }: Pick<Payment, 'action'>): boolean => action.startsWith('refunded');

/** The amount that a notification reports: `$49.00`, or `$49.00 refunded`; null if the notification reports no amount. */
export const reportedMoney = (payment: Payment): string | null =>
  payment.amount === null
    ? null
    : isRefund(payment)
      ? t('{amount} refunded', { amount: money(payment.amount, payment.currency) })
      : money(payment.amount, payment.currency);

/**
 * The total amounts that notifications report: `$98.00 paid`, `$49.00 refunded`. If several notifications report the same payment or
 * refund, only the largest amount counts, because some processors report the sum of all refunds so far.
 */
export function totals(payments: readonly Payment[]): readonly string[] {
  const largest = new Map<string, Payment & { readonly amount: number }>();
  for (const payment of payments) {
    const { amount, currency, transaction_id: id } = payment;
    if (amount === null || id === null) continue;
    const key = JSON.stringify([isRefund(payment), currency, id]);
    if (amount >= (largest.get(key)?.amount ?? 0)) largest.set(key, { ...payment, amount });
  }
  const sums = new Map<string, { paid: number; fee: number; refunded: number }>();
  for (const one of largest.values()) {
    const sum = sums.get(one.currency ?? '') ?? { paid: 0, fee: 0, refunded: 0 };
    sums.set(one.currency ?? '', sum);
    if (isRefund(one)) sum.refunded += one.amount;
    else {
      sum.paid += one.amount;
      sum.fee += one.fee ?? 0;
    }
  }
  return [...sums].flatMap(([code, { paid, fee, refunded }]) => {
    const shown = (amount: number): string => money(amount, code === '' ? null : code);
    return [
      fee > 0 ? t('{amount} paid (fee {fee})', { amount: shown(paid), fee: shown(fee) }) : t('{amount} paid', { amount: shown(paid) }),
      ...(refunded > 0 ? [t('{amount} refunded', { amount: shown(refunded) })] : []),
    ];
  });
}
