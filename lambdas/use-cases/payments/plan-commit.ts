import { EVENT_RANDOM_BYTES, type Event } from '../../domain/event';
import { keyMailFor } from '../../domain/key-mail';
import { generateKey, KEY_RANDOM_BYTES } from '../../domain/license-key';
import { idKey, isOver, planOrder, type OrderPlan, type Outcome } from '../../domain/payments';
import type { StoredOrder, WaitingNotification } from '../../domain/payments/order';
import {
  issuedRefs,
  orderLicenses,
  planLicenses,
  type LicensePart,
  type OpenNotification,
  type OrderState,
} from '../../domain/payments/plan/plan-licenses';
import type { App } from '../../runtime/app';
import { recordEvent } from '../../store/events/record';
import { transitionActions } from '../../store/licenses/commit';
import { issueActions, nextLicenseId } from '../../store/licenses/create';
import { keepKnownIds, orderActions, partOfOrder } from '../../store/payments/orders';
import { addUpdatesEnd } from '../../store/reminders/updates';
import { PROGRESS } from '../../store/retry';
import { MAX_ACTIONS, type Action } from '../../store/transaction';
import type { Commit, Settled } from './commit';

/**
 * Plans the transactions that apply notifications to an order. The rules for the effect of a notification are in
 * lambdas/domain/payments/plan.
 */

/** The content of one transaction. */
type Effects = Pick<Commit<unknown>, 'actions' | 'events' | 'parts'>;

/** The plan for one or more notifications of an order. */
export interface PlannedOrder extends Effects {
  readonly after: StoredOrder;
  /** The outcome of each notification, in the order of the notifications. */
  readonly outcomes: readonly Outcome[];
  readonly licenseIds: readonly number[];
  /** Whether some notifications wait for the next transaction. */
  readonly isPostponed: boolean;
}

interface Planned extends PlannedOrder {
  /** The parts that can be committed in an earlier transaction than the rest of the plan. */
  readonly preceding: readonly PlannedPart[];
  /** The actions that record when the updates of new licenses end. */
  readonly updatesEnds: ReadonlySet<Action>;
}

/** The change of one license, with its actions and events. */
interface PlannedPart {
  readonly part: LicensePart;
  readonly actions: readonly Action[];
  readonly events: readonly Event[];
  /** For a new license, the actions that record the end of its updates. */
  readonly updatesEnd?: readonly Action[];
}

/**
 * Number of actions that are reserved in a transaction, in addition to the actions of the order. They are needed for the rows of the
 * payments log (several rows if the payload is long), the deduplication key, rows of the buyer, and audit entries.
 */
const OTHER_ACTIONS = 12;

/**
 * The next transaction for the notifications of an order. If the changes do not fit into one transaction, the next transaction contains as
 * many licenses as possible, and the remaining changes are planned again after it. If a fault interrupts the request, a repeated request
 * finds the licenses that were already committed.
 *
 * @param received the notifications; the first is the new notification
 * @param finish is called for the last transaction; returns further actions for it, and the result after its commit
 */
export async function planCommit<Result>(
  app: App,
  state: OrderState,
  received: readonly OpenNotification[],
  now: number,
  finish: (planned: PlannedOrder) => Pick<Commit<Result>, 'actions' | 'committed'> | Settled<Result>,
): Promise<Commit<Result> | Settled<Result>> {
  const planned = await planWithinLimit(app, state, received, now);
  const isLarge = !fits(planned, received);
  const precedent = isLarge ? precede(app, state, planned, now) : undefined;
  if (precedent) return { ...precedent, committed: () => PROGRESS };
  const last = finish(planned);
  if ('settled' in last) return last;
  const hasFirstLicenses = !hadLicenses(state) && planned.after.licenses.length > 0;
  if (hasFirstLicenses) await keepKnownIds(app.table, state.connection.id, state.stored);
  const actions = isLarge ? await withoutUpdatesEnds(app, planned, now) : planned.actions;
  return { actions: [...last.actions, ...actions], events: planned.events, parts: planned.parts, committed: last.committed };
}

/** Whether the order had licenses before other orders were joined with it. */
const hadLicenses = ({ stored, removed }: OrderState): boolean =>
  stored.licenses.length > removed.reduce((sum, { licenses }) => sum + licenses.length, 0);

/**
 * Writes the rows that record when the updates of the new licenses end, and returns the other actions. The licenses of a large sale must be
 * issued in one transaction, which has no room for these rows. A row whose license is never issued has no effect.
 */
async function withoutUpdatesEnds({ table }: App, { actions, parts, updatesEnds }: Planned, now: number): Promise<readonly Action[]> {
  if (updatesEnds.size === 0) return actions;
  await Promise.all(parts.flatMap((part) => ('issue' in part ? [addUpdatesEnd(table, part.license, now)] : [])));
  return actions.filter((action) => !updatesEnds.has(action));
}

const fits = ({ actions }: Effects, received: readonly OpenNotification[]): boolean =>
  actions.length + received.length + OTHER_ACTIONS <= MAX_ACTIONS;

/**
 * Plans all notifications if the plan fits into one transaction. Otherwise only one notification is planned, and the others wait for the
 * next transaction.
 */
async function planWithinLimit(app: App, state: OrderState, received: readonly OpenNotification[], now: number): Promise<Planned> {
  const all = await plan(app, state, received, now);
  if (received.length === 1 || fits(all, received)) return all;
  // Planning the order alone is cheap. The rows are planned only for the first notification that can be processed now.
  const one = received.find((candidate) => planOf(state, [candidate]).outcomes.every(isOver));
  if (!one) return all;
  const others = received
    .filter((other) => other !== one)
    .map((other): WaitingNotification => ({ ...other, status: other.status ?? 'waiting' }));
  const alone = await plan(app, state, [one], now, others);
  const [outcome] = alone.outcomes;
  const later = 'The order is being processed in several steps.';
  const outcomes = received.map((other) => (other === one && outcome ? outcome : { status: other.status ?? 'waiting', reason: later }));
  return { ...alone, outcomes, isPostponed: true };
}

const planOf = (state: OrderState, received: readonly OpenNotification[]): OrderPlan =>
  planOrder(state.stored.order, orderLicenses(state), received, { ...state.connection, types: state.types });

async function plan(
  app: App,
  state: OrderState,
  received: readonly OpenNotification[],
  now: number,
  postponed: readonly WaitingNotification[] = [],
): Promise<Planned> {
  const { connection, stored, removed } = state;
  const order = planOf(state, received);
  const identities: { id: number; key: string }[] = [];
  while (identities.length < order.issue.length)
    identities.push({ id: await nextLicenseId(app.table), key: generateKey(app.random(KEY_RANDOM_BYTES)) });
  const licenses = planLicenses(state, order, received, postponed, identities, now);
  const { after, outcomes } = licenses;

  const issues = licenses.issues.map((part) => withActions(app, state, part));
  const changes = licenses.changes.map((part) => withActions(app, state, part));
  const effects = together(app, state, [...issues, ...changes], now);
  const knownIds = new Set([stored, ...removed].flatMap(({ order }) => order.ids.map(idKey)));
  const named = new Set(received[0]?.notification.ids.map(idKey));
  return {
    ...effects,
    actions: [...effects.actions, ...orderActions(connection.id, after, hadLicenses(state), knownIds, named, removed, now)],
    after,
    outcomes,
    licenseIds: after.licenses.map(({ id }) => id),
    isPostponed: false,
    preceding: [...changes, ...issues].filter(({ part }) => part.canPrecede),
    updatesEnds: new Set(issues.flatMap(({ updatesEnd = [] }) => updatesEnd)),
  };
}

function withActions({ table }: App, { connection, product }: OrderState, part: LicensePart): PlannedPart {
  const recorder = { by: connection.name, readProduct: product };
  return {
    part,
    ...('issue' in part ? issueActions(table, part.issue, recorder) : transitionActions(table, part.transition, recorder)),
  };
}

/** Combines several parts. All license keys are sent in one mail. */
function together(app: App, { product }: OrderState, planned: readonly PlannedPart[], now: number): Effects {
  const parts = planned.map(({ part }) => part);
  const toMail = parts.filter(({ isMailed }) => isMailed).map(({ license }) => license);
  const mail = keyMailFor(product, toMail, now, app.random(EVENT_RANDOM_BYTES));
  return {
    actions: [...planned.flatMap(({ actions }) => actions), ...(mail ? [recordEvent(mail)] : [])],
    events: [...planned.flatMap(({ events }) => events), ...(mail ? [mail] : [])],
    parts,
  };
}

/**
 * The transaction that is committed before the other changes. It contains as many licenses as fit; undefined if not even one license fits.
 */
function precede(app: App, state: OrderState, { preceding }: Planned, now: number): Effects | undefined {
  const fitting: PlannedPart[] = [];
  let length = OTHER_ACTIONS;
  for (const one of preceding) {
    length += one.actions.length;
    if (length > MAX_ACTIONS) break;
    fitting.push(one);
  }
  if (fitting.length === 0) return undefined;
  const { connection, stored, removed } = state;
  const effects = together(app, state, fitting, now);
  // If several orders are being joined into one, `stored` contains the licenses of all these orders. This transaction then issues no
  // license, so it does not change the list of licenses in the order's row.
  const own = { ...stored, licenses: removed.length > 0 ? [] : stored.licenses };
  return { ...effects, actions: [...effects.actions, partOfOrder(connection.id, own, issuedRefs(effects.parts))] };
}
