import { EVENT_RANDOM_BYTES, type Event } from '../../domain/event';
import { keyMailFor } from '../../domain/key-mail';
import { generateKey, KEY_RANDOM_BYTES } from '../../domain/license-key';
import { idKey, isOver, planOrder, type Outcome } from '../../domain/payments';
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
import { orderActions, partOfOrder } from '../../store/payments/orders';
import { PROGRESS } from '../../store/retry';
import { MAX_ACTIONS, type Action } from '../../store/transaction';
import type { Commit, Settled } from './commit';

/** Plans what notifications make of an order, as the next transaction. The rules are in lambdas/domain/payments/plan. */

/** What commits in one transaction. */
type Effects = Pick<Commit<unknown>, 'actions' | 'events' | 'parts'>;

/** What becomes of the notifications that are planned. */
export interface PlannedOrder extends Effects {
  readonly after: StoredOrder;
  /** For each notification, in the same sequence. */
  readonly outcomes: readonly Outcome[];
  readonly licenseIds: readonly number[];
  /** Whether some of them wait for the transaction after this one. */
  readonly isPostponed: boolean;
}

interface Planned extends PlannedOrder {
  /** What can be committed before the rest. */
  readonly preceding: readonly PlannedPart[];
}

/** What becomes of one license, with its actions and events. */
interface PlannedPart {
  readonly part: LicensePart;
  readonly actions: readonly Action[];
  readonly events: readonly Event[];
}

/**
 * Actions of a transaction that are not the order's: the rows of the log with a long payload, the dedupe key, the rows of the buyer, and
 * entries in the audit log.
 */
const OTHER_ACTIONS = 12;

/**
 * The next transaction for what was received for an order. If all of it does not fit, as many of the licenses as do; the rest is planned
 * again on top of them. Made again after a fault, what is committed is found done.
 *
 * @param received the first is the new one
 * @param finish what else commits with the last transaction, and what comes after it
 */
export async function planCommit<Result>(
  app: App,
  state: OrderState,
  received: readonly OpenNotification[],
  now: number,
  finish: (planned: PlannedOrder) => Pick<Commit<Result>, 'actions' | 'committed'> | Settled<Result>,
): Promise<Commit<Result> | Settled<Result>> {
  const planned = await planWithinLimit(app, state, received, now);
  const precedent = fits(planned, received) ? undefined : precede(app, state, planned, now);
  if (precedent) return { ...precedent, committed: () => PROGRESS };
  const last = finish(planned);
  if ('settled' in last) return last;
  return { actions: [...last.actions, ...planned.actions], events: planned.events, parts: planned.parts, committed: last.committed };
}

const fits = ({ actions }: Effects, received: readonly OpenNotification[]): boolean =>
  actions.length + received.length + OTHER_ACTIONS <= MAX_ACTIONS;

/**
 * A plan of notifications, as far as it fits one transaction. A large order and all that waited for it may not: then one of them is
 * planned, and the others wait for the transaction after it.
 */
async function planWithinLimit(app: App, state: OrderState, received: readonly OpenNotification[], now: number): Promise<Planned> {
  const all = await plan(app, state, received, now);
  if (received.length === 1 || fits(all, received)) return all;
  for (const one of received) {
    const others = received
      .filter((other) => other !== one)
      .map((other): WaitingNotification => ({ ...other, status: other.status ?? 'waiting' }));
    const alone = await plan(app, state, [one], now, others);
    const [outcome] = alone.outcomes;
    if (!outcome || !isOver(outcome)) continue;
    const later = 'The order is carried out in several steps.';
    const outcomes = received.map((other) => (other === one ? outcome : { status: other.status ?? 'waiting', reason: later }));
    return { ...alone, outcomes, isPostponed: true };
  }
  return all;
}

async function plan(
  app: App,
  state: OrderState,
  received: readonly OpenNotification[],
  now: number,
  postponed: readonly WaitingNotification[] = [],
): Promise<Planned> {
  const { connection, types, stored, removed } = state;
  const order = planOrder(stored.order, orderLicenses(state), received, { ...connection, types });
  const identities: { id: number; key: string }[] = [];
  while (identities.length < order.issue.length)
    identities.push({ id: await nextLicenseId(app.table), key: generateKey(app.random(KEY_RANDOM_BYTES)) });
  const licenses = planLicenses(state, order, received, postponed, identities, now);
  const { after, outcomes } = licenses;

  const issues = licenses.issues.map((part) => withActions(app, part));
  const changes = licenses.changes.map((part) => withActions(app, part));
  const effects = together(app, state, [...issues, ...changes], now);
  const knownIds = new Set([stored, ...removed].flatMap(({ order }) => order.ids.map(idKey)));
  return {
    ...effects,
    actions: [...effects.actions, ...orderActions(connection.id, after, stored.licenses.length > 0, knownIds, removed, now)],
    after,
    outcomes,
    licenseIds: after.licenses.map(({ id }) => id),
    isPostponed: false,
    preceding: [...changes, ...issues].filter(({ part }) => part.canPrecede),
  };
}

const withActions = ({ table }: App, part: LicensePart): PlannedPart => ({
  part,
  ...('issue' in part ? issueActions(table, part.issue) : transitionActions(table, part.transition)),
});

/** Several parts as one, with one mail. */
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

/** As many of the licenses that can be committed before the rest as fit; undefined if none does. */
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
  // The row of the order that is kept as it was read, without what others are joined to it.
  const own = { ...stored, licenses: removed.length > 0 ? [] : stored.licenses };
  return { ...effects, actions: [...effects.actions, partOfOrder(connection.id, own, issuedRefs(effects.parts))] };
}
