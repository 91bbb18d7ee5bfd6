import { periodsByMonth, type Facts } from './facts';
import { added, currencyOfOrder, moneyByMonth, sumKey, type Sums } from './ledger';
import { isEnded, linesOf } from './target';

/**
 * What an order adds to the revenue of its product, by month and currency. The numbers follow from the facts alone. When the facts change,
 * only the difference is added to the counters of the product, so no notification is counted twice, and none is lost.
 */

/**
 * The numbers of an order: the money, and whether its subscription is new, was renewed or was lost in a month. An order for which no plan
 * names a license type has no numbers: it may belong to another product that is sold with the same account.
 */
export function revenueOf(facts: Facts): Sums {
  if (!linesOf(facts)?.some(({ sold }) => sold !== null)) return {};
  const currency = currencyOfOrder(facts.ledger) ?? '';
  const periods = Object.entries(periodsByMonth(facts.payments, facts.earlierPeriods)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const subscription = periods.reduce<Sums>(
    (sums, [month, count], index) =>
      added(sums, { [`${month} ${currency}`]: index === 0 ? { new: 1, renewed: count - 1 } : { renewed: count } }),
    {},
  );
  const isLost = periods.length > 0 && facts.ended !== null && isEnded(facts) && !facts.isPaidOff;
  return added(
    added(moneyByMonth(facts.ledger), subscription),
    isLost && facts.ended ? { [sumKey(facts.ended.at, currency)]: { lost: 1 } } : {},
  );
}

/**
 * What is still to be added to the counters of the product, after a change of the facts of one or more orders, which are one order
 * afterwards.
 */
export const uncountedAfter = (before: readonly { readonly facts: Facts; readonly uncounted: Sums }[], facts: Facts): Sums =>
  before.reduce((sums, one) => added(added(sums, one.uncounted), revenueOf(one.facts), -1), revenueOf(facts));
