import { difference, MAX_LICENSES, type Difference, type OrderLicense } from './difference';
import { withNotification, paymentIds, withIdsAndBuyer, timeOf, timeOfRefund, type Facts, type Received } from './facts';
import { countOf } from './lines';
import { WHOLE_ORDER, type Action, type Line, type Notification, type Refund } from './model';
import { archivedType, isArchived, isOtherBinding, soldAs, unmapped, unsoldReason, type SaleTerms } from './sold-as';
import { isEnded, missingPayment, refundedPayment, target, type Revoked, type Target } from './target';

/** Decides what the notifications of an order do to its licenses, and what the payments log shows about each of them. */

/** What the payments log shows about a notification: its status and the reason. */
export interface Outcome {
  readonly status: 'done' | 'ignored' | 'held' | 'waiting';
  /** A sentence for the operator. */
  readonly reason: string | null;
}

/** Whether the processing of a notification is complete. */
export const isOver = ({ status }: Pick<Outcome, 'status'>): boolean => status === 'done' || status === 'ignored';

export const done = (reason: string | null = null): Outcome => ({ status: 'done', reason });
export const ignored = (reason: string | null): Outcome => ({ status: 'ignored', reason });
export const held = (reason: string): Outcome => ({ status: 'held', reason });
export const waits = (reason = 'The rest of the order has not arrived yet.'): Outcome => ({ status: 'waiting', reason });

/**
 * The reason why a buyer's e-mail address changes nothing: the customer has no licenses yet, or all the customer's licenses have an address.
 */
export const NO_LICENSE_WAITS = 'No license waits for this e-mail address.';

const closedReasons: Readonly<Record<Revoked, string>> = {
  refunded: 'The order was refunded: nothing is issued or renewed.',
  dispute_lost: 'The order was disputed: nothing is issued or renewed.',
};
const REVOKED = 'The license is revoked and cannot be renewed.';
const NEWER = 'A newer state was already reported.';
const INDEPENDENT = 'The license is valid without further payments.';
const NOTHING = 'The connection is configured to change nothing in this case.';
const KEEPS = 'All installments are paid: the buyer keeps the product.';
const NO_ADDRESS = 'The notification contains no valid e-mail address of the buyer, so the key cannot be mailed.';
const TOO_MANY = `An order can have at most ${MAX_LICENSES} licenses: fewer licenses are issued than were bought.`;

export interface OrderPlan extends Difference {
  readonly facts: Facts;
  /** The outcome of each notification, in the order of the notifications. */
  readonly outcomes: readonly Outcome[];
}

/**
 * Plans the effects of notifications on an order and its licenses. A notification that cannot take effect yet stays open: its facts are not
 * recorded, except the ids of the order and the buyer. It takes effect with the notification that brings what it lacks.
 *
 * @param before the stored facts; `noFacts` if none of the ids is known
 * @param received the new notification, followed by the notifications that are waiting or held for any id of the order
 */
export function planOrder(
  before: Facts,
  licenses: readonly OrderLicense[],
  received: readonly Received[],
  terms: SaleTerms,
  now: number,
): OrderPlan {
  const start = received.reduce((facts, one) => withIdsAndBuyer(facts, one, terms), before);
  const previous = target(before, terms);
  const outcomes: Outcome[] = received.map(() => done());
  // A notification takes effect only if the facts of the others that take effect are enough for it. The loop starts with all notifications,
  // leaves out the facts of those that must wait, and judges the rest again until nothing changes. With fewer facts, no notification that had
  // to wait can take effect, so the loop ends, and as many notifications as possible take effect.
  for (;;) {
    const settled = received.filter((_, index) => isOver(outcomes[index]!));
    const facts = settled.reduce((known, one) => withNotification(known, one, terms), start);
    const next = target(facts, terms);
    const changes = difference(previous, next, licenses, terms, now);
    const context: Context = { before, previous, facts, next, changes, licenses, terms };
    const open = [...received.keys()].filter((index) => isOver(outcomes[index]!));
    for (const index of open) outcomes[index] = outcomeOf(received[index]!, context);
    if (open.every((index) => isOver(outcomes[index]!))) return { ...changes, facts, outcomes };
  }
}

interface Context {
  readonly before: Facts;
  readonly previous: Target;
  readonly facts: Facts;
  readonly next: Target;
  readonly changes: Difference;
  readonly licenses: readonly OrderLicense[];
  readonly terms: SaleTerms;
}

/** Whether a target shows what was bought, or that nothing is issued for the order. */
const isKnown = ({ lines, closed }: Target): boolean => closed !== null || lines.some(({ state }) => state.sold !== null);

/** If the actions of a notification have different outcomes, it gets the first of these statuses: `held`, `waiting`, `done`, `ignored`. */
function outcomeOf(received: Received, context: Context): Outcome {
  const { notification } = received;
  const outcomes = notification.actions.map((action) => outcomeOfAction(action, received, context));
  const status = (['held', 'waiting', 'done'] as const).find((one) => outcomes.some((outcome) => outcome.status === one)) ?? 'ignored';
  return { status, reason: outcomes.find((outcome) => outcome.status === status && outcome.reason !== null)?.reason ?? null };
}

function outcomeOfAction(action: Action, received: Received, context: Context): Outcome {
  const { notification } = received;
  const { next } = context;
  if (action.kind === 'ignored') return ignored(action.reason);
  if (action.kind === 'untrusted') return held(action.reason);
  if (action.kind === 'buyer_known') return isKnown(next) ? done() : ignored(NO_LICENSE_WAITS);
  if (action.kind === 'oversized')
    // Only the first payment needs the lines, so a further payment is planned without them.
    return action.of !== 'changed' && isKnown(context.previous) ? paidOutcome([], notification, context) : held(action.reason);
  if (action.kind === 'cancellation_announced')
    return { status: isKnown(next) ? 'done' : 'ignored', reason: 'Nothing changes until the subscription ends.' };
  if (action.kind === 'sale' || action.kind === 'renewal' || action.kind === 'charged')
    return paidOutcome(action.lines, notification, context);
  return isKnown(next) ? outcomeOfChange(action, received, context) : waits();
}

type Change = Exclude<
  Action,
  { kind: 'ignored' | 'untrusted' | 'buyer_known' | 'oversized' | 'cancellation_announced' | 'sale' | 'renewal' | 'charged' }
>;

/** Whether the licenses need no further payments. */
const isIndependent = ({ lines }: Target): boolean =>
  lines.length > 0 &&
  lines.every(({ slots }) => slots.every(({ sold, expires }) => sold.extends === 'updates' || ('at' in expires && expires.at === null)));

/** The outcome of an action about a known order. */
function outcomeOfChange(action: Change, received: Received, context: Context): Outcome {
  const { notification } = received;
  const { facts, next, terms } = context;
  const at = timeOf(received);
  switch (action.kind) {
    case 'linked':
      // Only when the payment is recorded, a refund with the other ids can be assigned to it.
      return notification.payment !== null && refundedPayment(facts, paymentIds(notification), at) === undefined
        ? waits('The payment is not known yet.')
        : done();
    case 'payment_failed':
      if (missingPayment(facts) === undefined) return done(NEWER);
      return done(terms.on_payment_failed === 'nothing' ? NOTHING : isIndependent(next) ? INDEPENDENT : null);
    case 'paused':
      return done(isIndependent(next) ? INDEPENDENT : null);
    case 'dispute_opened':
    case 'dispute_won':
    case 'dispute_lost': {
      const [payment = ''] = paymentIds(notification);
      const isStale = facts.disputes.some((one) => one.id === (action.id ?? payment) && one.at > at);
      return done(isStale ? NEWER : action.kind === 'dispute_opened' && terms.on_dispute === 'nothing' ? NOTHING : null);
    }
    case 'refunded':
    case 'refunded_in_part':
      return refundOutcome(action.kind === 'refunded', action.refund, notification, timeOfRefund(action.refund, received), context);
    case 'ended':
      if (facts.isPaidOff) return done(KEEPS);
      return done(isEnded(facts) ? (isIndependent(next) ? INDEPENDENT : null) : 'The order was paid again later.');
    case 'paid_off':
      return done(KEEPS);
    case 'changed':
      return changedOutcome(action.lines, at, context);
    case 'paid_again':
    case 'resumed':
      return done();
  }
}

/** The outcome of a payment. The first payment of an order must show what was bought. */
function paidOutcome(lines: readonly Line[], notification: Notification, { previous, next, licenses, terms }: Context): Outcome {
  if (!isKnown(next) && lines.length === 0) return waits();
  if (next.closed !== null && licenses.length === 0) return done(closedReasons[next.closed]);
  const isFirst = !isKnown(previous);
  const stateOf = (line: Line) => next.lines.find(({ state }) => state.id === line.id || state.formerly.includes(line.id))?.state;
  const archived = lines.flatMap(({ refs }) => soldAs(terms, refs) ?? []).find((sold) => isArchived(terms, sold));
  if (isFirst && archived && lines.some((line) => (stateOf(line)?.sold ?? null) === null)) return held(archivedType(archived));
  if (!isKnown(next)) return held(unsoldReason(lines, notification));
  const total = lines.reduce(
    (sum, line) => sum + (stateOf(line) ? countOf({ sold: stateOf(line)?.sold ?? null, quantity: line.quantity }) : 0),
    0,
  );
  if (isFirst && total > MAX_LICENSES)
    return held(
      `The order is for ${lines.reduce((sum, { quantity }) => sum + quantity, 0)} licenses, but an order can have at most ${MAX_LICENSES}.`,
    );
  const unsold = lines.filter((line) => {
    const state = stateOf(line);
    return state ? state.sold === null : line.oneOff && line.id !== WHOLE_ORDER;
  });
  const unmappedLines = unsold.filter(({ oneOff }) => isFirst || oneOff);
  if (unmappedLines.length > 0) return done(unmapped(unmappedLines));
  if (licenses.length > 0 && licenses.every(({ status }) => status === 'revoked')) return done(REVOKED);
  if (!isFirst || lines.length === 0) return done();
  if (lines.every(({ quantity }) => quantity === 0)) return done('The quantity is 0: nothing is issued.');
  const isAddressAwaited = notification.needs.some(({ fills }) => fills === 'email');
  return done(next.customerEmail === null && !isAddressAwaited ? NO_ADDRESS : null);
}

function refundOutcome(
  isFull: boolean,
  refund: Refund | undefined,
  notification: Notification,
  at: number,
  { facts, next, terms }: Context,
): Outcome {
  const ids = paymentIds(notification);
  const isRevoked = next.lines.some(({ revoked }) => revoked !== null);
  if (ids.length === 0) return done(isRevoked || isFull ? null : 'The connection is configured to ignore partial refunds.');
  const payment = refundedPayment(facts, ids, at);
  if (!payment) return waits('The payment that was refunded is not known yet.');
  if (payment.phase === undefined) return waits('The period of the refunded payment is not known yet.');
  if (payment.phase === 'past') return done('The refund is for an earlier period, which has already ended.');
  if (payment.phase === 'future')
    return done(payment.isInFull ? 'The refunded period had not begun: the license is no longer extended by it.' : null);
  return done(
    payment.isInFull || isRevoked || terms.on_partial_refund === 'revoke' || refund?.items?.some(({ inFull }) => inFull)
      ? null
      : 'The connection is configured to ignore partial refunds.',
  );
}

/** The outcome of a change of lines: the reasons why it is incomplete. */
function changedOutcome(lines: readonly Line[], at: number, { facts, previous, next, changes, terms }: Context): Outcome {
  if (next.closed !== null) return done(closedReasons[next.closed]);
  const start = facts.base?.at ?? facts.lineSets.find(({ of }) => of !== 'change')?.at ?? at;
  if (at < start || facts.lineSets.some((set) => set.of === 'change' && set.at > at)) return done(NEWER);
  const reasons = lines.flatMap((line): string[] => {
    const current = next.lines.find(({ state }) => state.id === line.id)?.state;
    if (!current || line.oneOff) return [];
    const sold = soldAs(terms, line.refs);
    const archived = sold && isArchived(terms, sold) ? archivedType(sold) : null;
    if (current.sold === null) return [archived ?? unmapped([line])];
    const [ref] = line.refs;
    if (ref !== undefined && !current.refs.includes(ref) && isOtherBinding(current.sold, sold))
      return [`The plan for ${ref} sells a license type with another binding: the licenses stay unchanged.`];
    if (ref !== undefined && !current.refs.includes(ref))
      return [`${archived ?? `No plan has the ref ${ref}:`} ${archived ? 'The' : 'the'} licenses stay unchanged.`];
    if (changes.short.includes(current))
      return [isArchived(terms, current.sold) ? `${archivedType(current.sold)} No new license is issued.` : TOO_MANY];
    const before = previous.lines.find(({ state }) => state.id === line.id || current.formerly.includes(state.id))?.state;
    const isOne =
      current.sold.mode === 'one' && before && before.quantity > 0 && current.quantity > 0 && before.quantity !== current.quantity;
    return isOne && before.sold?.licenseTypeId === current.sold.licenseTypeId
      ? ['The plan sells one license for any quantity: the licenses stay unchanged.']
      : [];
  });
  return done(reasons.length > 0 ? [...new Set(reasons)].join(' ') : null);
}
