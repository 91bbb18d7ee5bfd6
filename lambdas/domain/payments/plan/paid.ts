import { DAY_MS } from '../../time';
import type { Plan } from '../connection';
import { lineFor, type Action, type Line, type Notification } from '../model';
import { withPeriod, withRun } from '../order';
import { fallBack, leaveFallback, payUpdates } from './updates';
import { close } from './endings';
import { MAX_LICENSES, type OrderDraft } from './order-draft';
import { closedReasons, done, held, type Outcome } from './order-plan';
import { moveRemovals } from './line-changes';
import { presentRefunds } from './payment-ids';
import { archivedType, isArchived, keptOf, planFor, soldBy, unmapped, unsoldReason } from './sold-as';
import { restart } from './suspensions';
import type { Order } from '../order';

/** Plans a payment. The sale issues licenses, and every further payment extends the licenses or only their updates. */

type PaidAction = Extract<Action, { kind: 'sale' | 'renewal' }>;

/**
 * Plans a sale or renewal.
 *
 * @param endedBefore returns the reason why nothing may be issued, if a refund or a lost dispute was reported before the sale
 */
export function paid(
  draft: OrderDraft,
  action: PaidAction,
  notification: Notification,
  at: number,
  endedBefore: (isUpdates: boolean) => Order['closed'] | undefined,
): Outcome {
  const { closed: before, endedAt: end } = draft.order;
  if (before === 'ended' && end !== null && at > end) draft.note({ closed: null });
  if (draft.order.closed !== null) return done(closedReasons[draft.order.closed]);
  const issued = issue(draft, action, notification, at, endedBefore);
  if (issued.status !== 'done' || draft.order.closed !== null) return issued;

  const { sequence, firstSequence, paidUntil, paidAt, periods, runs, endedAt, newest } = draft.order;
  const moved = action.paidUntil !== null && paidUntil !== null && action.paidUntil > paidUntil;
  const reached = notification.payment?.sequence ?? (notification.payment === null && action.kind === 'renewal' && moved ? 1 : null);
  const isNewest = newest.payment === undefined || at >= newest.payment;
  const isOver = endedAt !== null && at <= endedAt;
  draft.note({
    sequence: reached === null ? sequence : Math.max(sequence ?? reached, reached),
    paidUntil: paidUntil === null ? action.paidUntil : Math.max(paidUntil, action.paidUntil ?? paidUntil),
    firstSequence: firstSequence ?? (action.kind === 'sale' ? (notification.payment?.sequence ?? null) : null),
    ...(action.paidUntil !== null && {
      periods: withPeriod(periods, { at, until: action.paidUntil, sequence: notification.payment?.sequence ?? null }),
      runs: withRun(runs, { at, until: action.paidUntil }),
    }),
    paidAt: Math.max(paidAt ?? at, at),
    endedAt: isOver ? endedAt : null,
    newest: { ...newest, payment: Math.max(newest.payment ?? at, at) },
  });
  draft.note({ refunds: presentRefunds(draft.order) });
  if (action.paidUntil !== null) extend(draft, action.paidUntil + (isOver ? 0 : draft.terms.grace_days * DAY_MS), paidUntil === null);
  moveRemovals(draft);
  payUpdates(draft);
  if (isNewest) restart(draft, 'payment');
  if (draft.order.endedAt !== null) fallBack(draft);
  else leaveFallback(draft);
  if (isSaleRefunded(draft)) return close(draft, 'refunded');
  return draft.licenses.every(({ status }) => status === 'revoked') ? done('The license is revoked and cannot be renewed.') : issued;
}

/**
 * Whether an order must be closed because its sale was refunded. This is necessary if the refund arrived before the sale, and the order has
 * a license whose payments extend only its updates. At that time, the refund could not revoke the license, because the sale was not known.
 */
const isSaleRefunded = ({ order: { firstSequence, refunded }, licenses }: OrderDraft): boolean =>
  firstSequence !== null && refunded.includes(firstSequence) && licenses.some((license) => license.extends === 'updates');

/**
 * Issues licenses for the lines that have none yet. If the order already has licenses, only a sale can issue more, and only if the order
 * has no paid periods.
 */
function issue(
  draft: OrderDraft,
  action: PaidAction,
  notification: Notification,
  at: number,
  endedBefore: (isUpdates: boolean) => Order['closed'] | undefined,
): Outcome {
  const { order, licenses, terms } = draft;
  const isFirst = licenses.length === 0;
  // For a subscription, licenses are issued only at the first payment. A line that is added later is reported as `changed`.
  const isFurther = action.kind === 'sale' && action.paidUntil === null && order.paidUntil === null;
  const missing = isFirst || isFurther ? action.lines.filter((line) => !lineFor(order.lines, line, action.lines)) : [];
  if (missing.length === 0) return done();

  const chosen = missing.map((line) => ({ line, plan: planFor(terms, line) }));
  const sold = chosen
    .filter((one): one is { line: Line; plan: Plan } => one.plan !== undefined)
    .map(({ line, plan }) => ({ line, sold: soldBy(plan), count: plan.quantity === 'licenses' ? line.quantity : 1 }));
  // If no plan matches yet, the plan that an operator adds later may extend only updates.
  const closed = isFirst ? endedBefore(sold.length === 0 || sold.some((one) => one.sold.extends === 'updates')) : undefined;
  if (closed) {
    draft.note({ closed });
    return done(closedReasons[closed]);
  }
  if (sold.length === 0) return isFirst ? held(unsoldReason(missing, notification)) : done(unmapped(missing));
  const total = licenses.length + sold.reduce((sum, { count }) => sum + count, 0);
  if (total > MAX_LICENSES) return held(`The order is for ${total} licenses, but an order can have at most ${MAX_LICENSES}.`);
  const archived = sold.find((one) => isArchived(terms, one.sold));
  if (archived) return held(archivedType(archived.sold));

  for (const one of sold) draft.add(one.line, one.sold, one.count, undefined);
  const rest = chosen.filter(({ plan }) => plan === undefined).map(({ line }) => line);
  draft.note({
    lines: [...order.lines, ...sold.map((one) => ({ ...one.line, ...keptOf(one.sold) }))],
    unsold: [...new Set([...order.unsold, ...rest.map(({ id }) => id)])],
    // A report of changed lines that is older than the sale is ignored, because the sale contains newer lines.
    newest: { ...order.newest, lines: Math.max(order.newest.lines ?? at, at) },
  });
  return done(rest.length > 0 ? unmapped(rest) : null);
}

/**
 * Extends the expiry of licenses with recurring payments. The first known period sets the expiry. Later periods can only move the expiry to
 * a later time.
 */
function extend(draft: OrderDraft, target: number, isFirst: boolean): void {
  for (const one of draft.licenses) {
    const isWithoutEnd = one.extends === 'updates' || one.granted.isFallback;
    if (one.oneOff || isWithoutEnd || one.removed !== null || one.status === 'revoked') continue;
    const { expiresAt, license } = one;
    const isAsIssued = license !== null && expiresAt === license.issuedExpiresAt;
    if (expiresAt === undefined || (isFirst && isAsIssued)) {
      one.expiresAt = target;
      if (expiresAt !== target)
        draft.step(one, { do: typeof expiresAt === 'number' && target < expiresAt ? 'update' : 'renew', expiresAt: target });
    } else if (expiresAt !== null && target > expiresAt) {
      one.expiresAt = target;
      draft.step(one, { do: 'renew', expiresAt: target });
    }
    if (one.status === 'expired') one.status = 'active';
  }
}
