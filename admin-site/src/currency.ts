import { minorDigits } from '../currency-digits';
import { number, t } from './texts';

/** Amounts of money, in the format of the browser's language. */

const formats = new Map<string, Intl.NumberFormat>();

const formatOf = (currency: string): Intl.NumberFormat => {
  const digits = minorDigits(currency);
  const format =
    formats.get(currency) ??
    new Intl.NumberFormat(undefined, { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits });
  formats.set(currency, format);
  return format;
};

/** `$49.00`. @param amount in the currency's minor unit */
export function money(amount: number, currency: string | null): string {
  if (currency === null) return t('{amount} (unknown currency)', { amount: number(amount) });
  return formatOf(currency).format(amount / 10 ** minorDigits(currency));
}
