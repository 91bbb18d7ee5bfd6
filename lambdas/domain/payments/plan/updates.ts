import { DAY_MS, monthsAfter } from '../../time';
import { MAX_PERIODS, type Order } from '../order';
import type { LicenseDraft, OrderDraft } from './order-draft';
import { endSuspension, suspendIfStopped } from './suspensions';

/**
 * Plans how payments change which releases a license covers: the end of paid updates, and the fallback (docs/spec/payments.md, Updates and
 * fallback). Both are computed from all known facts about the order, so that late notifications lead to the same result.
 */

/** The end of the latest paid period that was not refunded; null if no period is known. */
function updatesPaidUntil(order: Order): number | null {
  const kept = order.periods.filter((_, index) => !isRefunded(order, index));
  // If all known periods were refunded, updates end when the first known period began.
  return kept.at(-1)?.until ?? order.periods[0]?.at ?? null;
}

/**
 * Whether the payment of a period was refunded. If a payment is reported without its period (Lemon Squeezy), the payment belongs to the
 * first period that ends after the payment.
 */
function isRefunded({ periods, refunded }: Order, index: number): boolean {
  const { sequence = null, until } = periods[index]!;
  // Only the latest periods are stored. If the maximum number of periods is stored, earlier periods may have been dropped. A payment before
  // the end of the oldest stored period may then belong to a dropped period.
  const previousEnd = periods[index - 1]?.until ?? (periods.length < MAX_PERIODS ? 0 : until);
  return refunded.some((one) => (sequence === null ? one >= previousEnd && one < until : one === sequence));
}

/** Sets the end of updates for each license whose payments extend only its updates. */
export function payUpdates(draft: OrderDraft): void {
  const paidUntil = updatesPaidUntil(draft.order);
  if (paidUntil === null) return;
  for (const one of draft.licenses) {
    if (one.extends !== 'updates' || one.oneOff) continue;
    if (one.removed === null) draft.payUpdates(one, paidUntil);
    else if (one.removed.until !== null) draft.payUpdates(one, Math.min(one.removed.until, paidUntil));
  }
}

/** Months have different lengths. With this tolerance, a period from 28 February continues a period that began on 31 January. */
const MONTH_TOLERANCE = 3 * DAY_MS;

/**
 * The end of updates of a fallback license: a license that stays valid after its subscription ended. Null if the license has no fallback,
 * if the subscription has not ended, or if too few consecutive months were paid.
 */
function fallbackUntil({ endedAt, paidUntil, runs }: Order, months: number | null): number | null {
  const run = runs.at(-1);
  if (months === null || endedAt === null || paidUntil === null || !run) return null;
  return monthsAfter(run.at, months) <= paidUntil + MONTH_TOLERANCE ? monthsAfter(paidUntil, -months) : null;
}

/** Makes the licenses of an ended subscription valid forever, if the required number of months was paid. */
export function fallBack(draft: OrderDraft): void {
  for (const one of draft.licenses) {
    const until = fallbackUntil(draft.order, one.fallbackMonths);
    const isOperators = one.expiresAt === null && one.license !== null && one.license.issuedExpiresAt !== null;
    const isExcluded = one.oneOff || one.removed !== null || one.extends === 'updates' || one.status === 'revoked';
    if (until === null || isExcluded || (isOperators && !one.granted.isFallback)) continue;
    const isOurs = !one.granted.isFallback || one.updatesUntil === one.granted.updatesUntil;
    one.granted = { updatesUntil: until, isFallback: true };
    const updatesUntil = isOurs && one.updatesUntil !== until ? until : undefined;
    if (one.expiresAt !== null || updatesUntil !== undefined) draft.update(one, { expiresAt: null, ...(updatesUntil && { updatesUntil }) });
    if (one.status === 'expired') one.status = 'active';
    reinstate(draft, one);
  }
}

/** Ends a suspension whose cause is a missing payment or a pause. A fallback license needs no further payments. */
function reinstate(draft: OrderDraft, one: LicenseDraft): void {
  if (one.status !== 'suspended' || (one.cause !== 'payment' && one.cause !== 'pause')) return;
  endSuspension(draft, one);
}

/**
 * Ends fallbacks that no longer apply. Their licenses expire again, and the updates end at the time that the license type gives. A fallback
 * no longer applies if the subscription continues, or if the plan now has no fallback or requires more months than were paid.
 */
export function leaveFallback(draft: OrderDraft): void {
  const { paidUntil, endedAt } = draft.order;
  for (const one of draft.licenses) {
    if (!one.granted.isFallback || paidUntil === null || fallbackUntil(draft.order, one.fallbackMonths) !== null) continue;
    const expiresAt = endedAt === null ? paidUntil + draft.terms.grace_days * DAY_MS : paidUntil;
    const isOurs = one.updatesUntil === one.granted.updatesUntil;
    const updatesUntil = one.license?.typeUpdatesUntil;
    one.granted = { updatesUntil, isFallback: false };
    if (one.status === 'revoked') continue;
    // If an operator has set an expiry, that expiry remains.
    if (one.expiresAt === null && endedAt !== null) draft.update(one, { expiresAt });
    else if (one.expiresAt === null) {
      one.expiresAt = expiresAt;
      draft.step(one, { do: 'renew', expiresAt });
    }
    if (isOurs && one.license === null) one.updatesUntil = undefined;
    else if (isOurs && updatesUntil !== undefined) draft.update(one, { updatesUntil });
    suspendIfStopped(draft, one);
  }
}
