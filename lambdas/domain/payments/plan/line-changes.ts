import { addDays } from '../../license';
import { DAY_MS } from '../../time';
import type { Plan } from '../connection';
import { compareLines, type Line } from '../model';
import type { IssuedLine, Order } from '../order';
import { fallBack, leaveFallback, payUpdates } from './updates';
import { byAge, MAX_LICENSES, type LicenseDraft, type OrderDraft } from './order-draft';
import { closedReasons, done, type Outcome } from './order-plan';
import { archivedType, isArchived, keptOf, namedPlan, planFor, seatsOf, soldBy, unmapped, type Sold, type Terms } from './sold-as';
import { suspendIfStopped } from './suspensions';

/**
 * Plans changes of a subscription's plan or quantity, and lines that are added or removed (docs/spec/payments.md, Changes of plan and
 * quantity).
 */

const TOO_MANY = `An order can have at most ${MAX_LICENSES} licenses: fewer licenses are issued than were bought.`;

/** Changes the licenses of each line so that they match the subscription's current lines. */
export function linesChanged(draft: OrderDraft, lines: readonly Line[], complete: boolean, at: number): Outcome {
  const { order, terms } = draft;
  if (order.closed !== null) return done(closedReasons[order.closed]);
  const { kept, added, removed } = compareLines(order.lines, lines, complete, order.unsold);
  const unissued = added.filter((line) => planFor(terms, line) === undefined);
  const reasons = [
    ...kept.map(({ known, line }) => changeLine(draft, known, line, at)),
    ...added.filter((line) => !unissued.includes(line)).map((line) => addLine(draft, line, at)),
    unissued.length > 0 ? unmapped(unissued) : null,
  ];
  for (const line of removed) fit(draft, line, { ...line, quantity: 0 }, present(terms, line), at);
  payUpdates(draft);
  // If the subscription has already ended, `fallback_months` of the new plan decides whether the licenses stay valid.
  if (order.endedAt !== null) {
    leaveFallback(draft);
    fallBack(draft);
  }
  draft.note({ unsold: [...new Set([...(complete ? [] : order.unsold), ...unissued.map(({ id }) => id)])] });
  const given = reasons.filter((reason) => reason !== null);
  return done(given.length > 0 ? given.join(' ') : null);
}

/** The way in which a line was sold before its change. */
const present = (terms: Terms, known: IssuedLine): Sold => ({
  ref: namedPlan(terms, known)?.ref ?? null,
  licenseTypeId: known.licenseTypeId,
  mode: known.mode,
  extends: known.extends,
  fallbackMonths: known.fallbackMonths,
});

/** Changes a line whose plan or quantity changed. Returns the reason why the change is incomplete, or null if it is complete. */
function changeLine(draft: OrderDraft, known: IssuedLine, line: Line, at: number): string | null {
  const { terms } = draft;
  const before = present(terms, known);
  const [ref] = line.refs;
  if (ref === undefined || known.refs.includes(ref)) return fit(draft, known, { ...line, refs: known.refs }, before, at);
  const plan = namedPlan(terms, line);
  if (!plan) {
    const reason = `No plan has the ref ${ref}: the licenses stay unchanged.`;
    const isDefault = namedPlan(terms, known) === undefined && known.licenseTypeId === terms.default_license_type_id;
    return (isDefault ? fit(draft, known, line, before, at) : null) ?? reason;
  }
  const sold = soldBy(plan);
  if (isArchived(terms, sold)) return `${archivedType(sold)} The licenses stay unchanged.`;
  return fit(draft, known, line, sold, at);
}

/** The reason why licenses of a line are missing. */
const whyMissing = (terms: Terms, sold: Sold): string =>
  isArchived(terms, sold) ? `${archivedType(sold)} No new license is issued.` : TOO_MANY;

/**
 * Adds a line to a subscription. The licenses of the line are issued as in a sale, for the current period. Returns the reason why the
 * change is incomplete, or null if it is complete.
 */
function addLine(draft: OrderDraft, line: Line, at: number): string | null {
  const plan = planFor(draft.terms, line);
  if (!plan) return unmapped([line]);
  const sold = soldBy(plan);
  if (isArchived(draft.terms, sold)) return archivedType(sold);
  const wanted = sold.mode === 'licenses' ? line.quantity : 1;
  const missing = grow(draft, line, sold, wanted, at);
  if (missing < wanted) draft.note({ lines: [...draft.order.lines, { ...line, ...keptOf(sold) }] });
  return missing > 0 ? whyMissing(draft.terms, sold) : null;
}

/**
 * Changes the number and the type of a line's licenses so that they match the line. Returns the reason why the change is incomplete, or
 * null if it is complete.
 */
function fit(draft: OrderDraft, known: IssuedLine, line: Line, sold: Sold, at: number): string | null {
  const { licenseTypeId, mode } = sold;
  const isMoved = licenseTypeId !== known.licenseTypeId || mode !== known.mode;
  const isRestored = known.quantity === 0 && line.quantity > 0;
  const count = mode === 'licenses' ? line.quantity : Math.min(1, line.quantity);
  const own = draft.licenses.filter((one) => one.line === known.id).sort(byAge);
  for (const one of own) one.line = line.id;

  const has = own.filter(({ removed }) => removed === null);
  const stay = has.slice(0, count);
  for (const one of has.slice(count)) remove(draft, one, at);
  const isOtherPlan = sold.ref !== present(draft.terms, known).ref;
  if (isMoved || isOtherPlan || (mode === 'seats' && line.quantity !== known.quantity && line.quantity > 0))
    for (const one of stay) {
      sell(draft, one, line, sold, known.mode);
      if (sold.extends !== known.extends) changeExtended(draft, one, sold, at);
    }
  const now: IssuedLine = { ...line, oneOff: known.oneOff, ...keptOf(sold) };
  const missing = grow(draft, now, sold, count - stay.length, at);

  draft.note({
    lines: draft.order.lines
      .map((one) => (one === known ? now : one))
      .filter(({ id, quantity }) => quantity > 0 || draft.licenses.some((one) => one.line === id)),
  });
  if (missing > 0) return whyMissing(draft.terms, sold);
  const isOne = mode === 'one' && !isMoved && !isRestored && line.quantity > 0 && line.quantity !== known.quantity;
  return isOne ? 'The plan sells one license for any quantity: the licenses stay unchanged.' : null;
}

/**
 * The expiry of a license with recurring payments: the end of the paid time, plus the grace period if the subscription has not ended.
 * Undefined if no period is known.
 */
const paidExpiry = ({ order: { paidUntil, endedAt }, terms }: OrderDraft): number | undefined =>
  paidUntil === null ? undefined : paidUntil + (endedAt === null ? terms.grace_days * DAY_MS : 0);

/**
 * Applies a changed `extends` to a license. After a change to `updates`, the expiry is computed from the license type. After a change to
 * `license`, the expiry is computed from the paid periods, and the end of updates from the license type.
 */
function changeExtended(draft: OrderDraft, one: LicenseDraft, { licenseTypeId, ...sold }: Sold, at: number): void {
  const isUpdates = sold.extends === 'updates';
  if (one.oneOff || one.status === 'revoked') return;
  const { duration_days = null, updates_days = null } = draft.terms.types.get(licenseTypeId) ?? {};
  if (isUpdates) {
    if (one.license === null) one.expiresAt = undefined;
    else if (one.expiresAt !== null || one.granted.isFallback)
      draft.update(one, { expiresAt: duration_days === null ? null : addDays(at, duration_days) });
    one.granted = { ...one.granted, isFallback: false };
    return;
  }
  const end = paidExpiry(draft);
  if (end !== undefined) draft.update(one, { expiresAt: end });
  if (one.license === null) one.updatesUntil = undefined;
  else if (one.updatesUntil === one.granted.updatesUntil) {
    const updatesUntil = updates_days === null ? null : addDays(at, updates_days);
    draft.update(one, { updatesUntil });
    one.granted = { ...one.granted, updatesUntil };
  }
}

/** Changes the type and the number of seats of a line's license. */
function sell(draft: OrderDraft, one: LicenseDraft, line: Line, sold: Sold, before: Plan['quantity']): void {
  const { ref, licenseTypeId, mode } = sold;
  one.extends = sold.extends;
  one.fallbackMonths = sold.fallbackMonths;
  const maxSeats = mode === 'seats' ? seatsOf(draft.terms, licenseTypeId, line.quantity) : undefined;
  if (one.issue !== null) one.issue = { ...one.issue, maxSeats, licenseTypeId, ref: ref ?? one.issue.ref };
  if (one.status === 'revoked') return;
  // The mode `seats` sets the license's own number of seats. A change to another mode removes this number.
  draft.update(one, {
    licenseTypeId,
    ...(mode === 'seats' ? { maxSeats } : before === 'seats' && { maxSeats: null }),
    ...(ref !== null && { sold: { ref, line: line.id } }),
  });
}

function remove(draft: OrderDraft, one: LicenseDraft, at: number): void {
  const until = paidEndAt(draft.order, at);
  one.removed = { at, until };
  if (until !== null) draft.expireBy(one, until);
}

/**
 * Adds a number of licenses to a line. First, removed licenses of the line that have not ended are restored. Then new licenses are issued,
 * up to the maximum number of licenses of the order. If licenses are still missing, removed licenses that have ended are restored,
 * including licenses of other lines of the order. If the license type is archived, no new license is issued, and no license of another
 * line moves to the type. Returns the number of licenses that are still missing.
 */
function grow(draft: OrderDraft, line: Line, sold: Sold, wanted: number, at: number): number {
  const end = line.oneOff || sold.extends === 'updates' ? undefined : paidExpiry(draft);
  const hasEnded = ({ removed }: LicenseDraft): boolean => removed?.until != null && removed.until <= at;
  const removed = draft.licenses.filter((one) => one.removed !== null).sort(byAge);
  let missing = wanted;
  const restore = (one: LicenseDraft): void => {
    if (missing === 0) return;
    missing -= 1;
    one.removed = null;
    one.line = line.id;
    sell(draft, one, line, sold, sold.mode);
    const isOperators = one.expiresAt === null || one.extends === 'updates';
    const target = end ?? one.license?.issuedExpiresAt ?? null;
    if (one.status === 'revoked' || isOperators || target === null || target <= (one.expiresAt ?? target)) return;
    draft.update(one, { expiresAt: target });
    if (one.status === 'expired') one.status = 'active';
  };
  for (const one of removed) if (one.line === line.id && !hasEnded(one)) restore(one);
  const isTypeArchived = isArchived(draft.terms, sold);
  const made = isTypeArchived ? 0 : Math.max(0, Math.min(missing, MAX_LICENSES - draft.licenses.length));
  draft.add(line, sold, made, end);
  for (const one of draft.licenses.slice(draft.licenses.length - made)) suspendIfStopped(draft, one);
  missing -= made;
  const canReturn = (one: LicenseDraft): boolean => hasEnded(one) && one.status !== 'revoked' && (one.line === line.id || !isTypeArchived);
  for (const one of removed) if (one.removed !== null && canReturn(one)) restore(one);
  return missing;
}

/**
 * The end of the latest period that was paid before a license was removed. A payment at the time of the removal does not count, because
 * this payment reports the smaller quantity and does not pay for the removed license. If no payment before the removal is known, the result
 * is the end of the first known period.
 *
 * @param at the time of the removal
 */
const paidEndAt = ({ periods, paidUntil }: Order, at: number): number | null =>
  periods.findLast((period) => period.at < at)?.until ?? periods[0]?.until ?? paidUntil;

/**
 * Corrects the ends of removed licenses after a payment. A removed license ends at the end of the period that was paid before its removal.
 * The payment for that period may be reported only after the removal.
 */
export function moveRemovals(draft: OrderDraft): void {
  for (const one of draft.licenses) {
    const { removed, expiresAt } = one;
    const until = removed && paidEndAt(draft.order, removed.at);
    if (!removed || until === null || until === removed.until) continue;
    one.removed = { ...removed, until };
    if (one.extends === 'updates') continue;
    if (expiresAt !== removed.until) draft.expireBy(one, until);
    else if (one.status !== 'revoked') draft.update(one, { expiresAt: until });
  }
}
