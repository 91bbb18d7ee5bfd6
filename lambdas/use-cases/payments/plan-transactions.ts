import { EVENT_RANDOM_BYTES, type Event } from '../../domain/event';
import { keyMailFor } from '../../domain/key-mail';
import type { License } from '../../domain/license';
import { generateKey, KEY_RANDOM_BYTES } from '../../domain/license-key';
import { termsOf } from '../../domain/license-type';
import { metadataOf } from '../../domain/metadata';
import { adapters, idKey, shownOrderId } from '../../domain/payments';
import { changeOf, issueOf, orderLicense, withOrderIds, withTerms } from '../../domain/payments/license-steps';
import { fitting, TOO_MANY_WAIT } from '../../domain/payments/limits';
import type { OrderLicenseRef, StoredOrder, WaitingNotification } from '../../domain/payments/order';
import { uncountedAfter } from '../../domain/payments/revenue';
import { held, isOver, planOrder, type OrderPlan, type Outcome } from '../../domain/payments/plan';
import { linesOf, termStartsOf } from '../../domain/payments/target';
import type { App } from '../../runtime/app';
import { recordEvent } from '../../store/events/record';
import { transitionActions } from '../../store/licenses/commit';
import { issueActions, nextLicenseId } from '../../store/licenses/create';
import { keepKnownIds, orderActions, partOfOrder } from '../../store/payments/orders';
import { addUpdatesEnd } from '../../store/reminders/updates';
import { PROGRESS } from '../../store/retry';
import { MAX_ACTIONS, type Action } from '../../store/transaction';
import type { LicensePart } from './license-part';
import type { Commit, Settled } from './commit';
import type { OrderState } from './load-order';

/** Plans the transactions that apply notifications to an order. */

/**
 * A notification to plan. If the notification was already waiting or held, `status` is the status of its row in the log; otherwise it is
 * undefined.
 */
export type OpenNotification = Omit<WaitingNotification, 'status'> & Partial<Pick<WaitingNotification, 'status'>>;

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
  const isLarge = !isWithinLimit(planned, received);
  const precedent = isLarge ? precedingTransaction(app, state, planned, now) : undefined;
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

const isWithinLimit = ({ actions }: Effects, received: readonly OpenNotification[]): boolean =>
  actions.length + received.length + OTHER_ACTIONS <= MAX_ACTIONS;

/**
 * Plans all notifications if the plan fits into one transaction. Otherwise only one notification is planned, and the others wait for the
 * next transaction.
 */
async function planWithinLimit(app: App, state: OrderState, received: readonly OpenNotification[], now: number): Promise<Planned> {
  const all = await plan(app, state, received, now);
  if (received.length === 1 || isWithinLimit(all, received)) return all;
  // Planning the order alone is cheap. The rows are planned only for the first notification that can be processed now.
  const one = received.find((candidate) => planOrderOf(state, [candidate], now).outcomes.every(isOver));
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

const planOrderOf = (
  { connection, types, stored, licenses }: OrderState,
  received: readonly OpenNotification[],
  now: number,
): OrderPlan => {
  const known = stored.licenses.flatMap((ref) => {
    const license = licenses.get(ref.id);
    return license ? [orderLicense(license, ref)] : [];
  });
  return planOrder(stored.facts, known, received, { ...connection, types }, now);
};

async function plan(
  app: App,
  state: OrderState,
  received: readonly OpenNotification[],
  now: number,
  postponed: readonly WaitingNotification[] = [],
): Promise<Planned> {
  const { connection, stored, removed, licenses } = state;
  const made = planOrderOf(state, received, now);
  const identities: { id: number; key: string }[] = [];
  while (identities.length < made.issue.length)
    identities.push({ id: await nextLicenseId(app.table), key: generateKey(app.random(KEY_RANDOM_BYTES)) });
  const issues = issueParts(state, made, received, identities, now).map((part) => withActions(app, state, part));
  const changes = changeParts(state, made, now).map((part) => withActions(app, state, part));
  const effects = effectsOf(app, state, [...issues, ...changes], now);

  const { waiting, outcomes } = waitingAfter(stored, made.outcomes, received, postponed);
  const present = (ref: OrderLicenseRef): OrderLicenseRef => ({
    ...withKey(ref, licenses.get(ref.id)?.key ?? ref.key),
    ...made.places.get(ref.id),
  });
  const test = stored.test ?? connection.mode === 'test';
  const after: StoredOrder = {
    ...stored,
    test,
    facts: made.facts,
    uncounted: test ? {} : uncountedAfter([stored], made.facts),
    licenses: [...stored.licenses.map(present), ...issuedRefs(issues.map(({ part }) => part))],
    waiting,
    issued_at: stored.issued_at ?? (issues.length > 0 ? now : null),
  };
  const knownIds = new Set([stored, ...removed].flatMap(({ facts }) => facts.ids.map(idKey)));
  const named = new Set(received[0]?.notification.ids.map(idKey));
  return {
    ...effects,
    actions: [...effects.actions, ...orderActions(connection, after, hadLicenses(state), knownIds, named, removed, now)],
    after,
    outcomes,
    licenseIds: after.licenses.map(({ id }) => id),
    isPostponed: false,
    preceding: [...changes, ...issues].filter(({ part }) => part.canPrecede),
    updatesEnds: new Set(issues.flatMap(({ updatesEnd = [] }) => updatesEnd)),
  };
}

/** The references to the licenses that the parts issue. */
const issuedRefs = (parts: readonly LicensePart[]): OrderLicenseRef[] => parts.flatMap((part) => ('ref' in part ? [part.ref] : []));

/** The reference from an order to a license, with the license's current key. */
const withKey = (ref: OrderLicenseRef, key: string): OrderLicenseRef => (key === ref.key ? ref : { ...ref, key, reissued: true });

/** The ids of an order that are stored in its licenses. */
const shownIds = ({ connection }: OrderState, { facts: { ids } }: OrderPlan) => ({
  order_id: shownOrderId(adapters[connection.processor], ids),
  subscription_id: ids.find(({ kind }) => kind === 'subscription')?.id ?? null,
});

/** The starts of the terms that paid periods begin for the licenses of a line; none if the line was sold once. */
function termsOfLine({ facts }: OrderPlan, line: string | undefined): readonly number[] {
  const isRecurring = (linesOf(facts) ?? []).some(({ id, oneOff }) => id === line && !oneOff);
  return isRecurring ? termStartsOf(facts) : [];
}

function issueParts(
  state: OrderState,
  made: OrderPlan,
  received: readonly OpenNotification[],
  identities: readonly Pick<License, 'id' | 'key'>[],
  now: number,
): LicensePart[] {
  const { connection, product, types, stored, removed } = state;
  const { order_id, subscription_id } = shownIds(state, made);
  const sale = {
    processor: connection.processor,
    connection_id: connection.id,
    order_id: order_id ?? '',
    subscription_id,
    test: connection.mode === 'test' || received.some(({ notification }) => notification.test === true),
  };
  const knownLines = new Set((linesOf(stored.facts) ?? []).flatMap(({ id, formerly }) => [id, ...formerly]));
  return made.issue.map((planned, index) => {
    const { line, ref } = planned;
    const type = types.get(planned.licenseTypeId);
    if (!type) throw new Error(`There is no license type ${planned.licenseTypeId}`);
    const identity = identities[index];
    if (!identity) throw new Error('A license to be issued needs an id');
    const license = {
      ...identity,
      product_id: connection.product_id,
      product_slug: product.slug,
      license_type: termsOf(type),
      customer_email: planned.customerEmail,
      metadata: metadataOf('{}'),
      max_seats: planned.maxSeats ?? null,
      expires_at: planned.expiresAt,
      updates_until: planned.updatesUntil,
      order: { ...sale, ref, line },
    };
    const issued = issueOf(license, planned, connection, now);
    const { after = issued.license } = withTerms(issued.license, null, termsOfLine(made, line), now) ?? {};
    const issue = { ...issued, license: after };
    const { id, key, expires_at } = issue.license;
    return {
      license: issue.license,
      issue,
      ref: { id, key, reissued: false, line, issued_expires_at: expires_at, overridden: [] },
      isMailed: true,
      // All licenses of a new line must be issued in the same transaction. If only some were issued, nothing would show that the others are
      // missing.
      canPrecede: removed.length === 0 && knownLines.has(line),
    };
  });
}

function changeParts(state: OrderState, made: OrderPlan, now: number): LicensePart[] {
  const { connection, types, licenses } = state;
  const ids = shownIds(state, made);
  return [...licenses.values()].flatMap((license) => {
    const change = changeOf(license, made.steps.get(license.id) ?? [], connection, types, now);
    const starts = termsOfLine(made, made.places.get(license.id)?.line);
    const linked = withTerms(license, withOrderIds(license, change, ids, now), starts, now);
    if (!linked) return [];
    const { after } = linked;
    const isMailed = license.customer_email === null && after.customer_email !== null && after.status !== 'revoked';
    return [{ license: after, transition: linked, isMailed, canPrecede: true }];
  });
}

/**
 * The notifications that wait for an order after the commit of its plan, and the outcomes of the planned notifications. If the waiting
 * notifications exceed the maximum size, some are not stored with the order but become `held`. Notifications that were already waiting have
 * priority.
 */
function waitingAfter(
  stored: StoredOrder,
  outcomes: readonly Outcome[],
  received: readonly OpenNotification[],
  postponed: readonly WaitingNotification[],
): { readonly waiting: readonly WaitingNotification[]; readonly outcomes: readonly Outcome[] } {
  const open = received.flatMap(({ payment_id, received_at, notification }, index) => {
    const status = outcomes[index]?.status;
    return status === 'held' || status === 'waiting' ? [{ payment_id, received_at, notification, status }] : [];
  });
  const known = new Set(stored.waiting.map(({ payment_id }) => payment_id));
  const entries = [
    ...postponed,
    ...open.filter(({ payment_id }) => known.has(payment_id)),
    ...open.filter(({ payment_id }) => !known.has(payment_id)),
  ];
  const fits = fitting(entries);
  const left = new Set(entries.filter((_, index) => !fits[index]).map(({ payment_id }) => payment_id));
  return {
    waiting: entries.filter(({ payment_id }) => !left.has(payment_id)),
    outcomes: outcomes.map((outcome, index) => (left.has(received[index]?.payment_id ?? '') ? held(TOO_MANY_WAIT) : outcome)),
  };
}

function withActions({ table }: App, { connection, product }: OrderState, part: LicensePart): PlannedPart {
  const recorder = { by: connection.name, readProduct: product };
  return {
    part,
    ...('issue' in part ? issueActions(table, part.issue, recorder) : transitionActions(table, part.transition, recorder)),
  };
}

/** Combines the parts of one transaction. One mail contains the keys of all its licenses. */
function effectsOf(app: App, { product }: OrderState, planned: readonly PlannedPart[], now: number): Effects {
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
function precedingTransaction(app: App, state: OrderState, { preceding }: Planned, now: number): Effects | undefined {
  const fitting: PlannedPart[] = [];
  let length = OTHER_ACTIONS;
  for (const one of preceding) {
    length += one.actions.length;
    if (length > MAX_ACTIONS) break;
    fitting.push(one);
  }
  if (fitting.length === 0) return undefined;
  const { connection, stored, removed } = state;
  const effects = effectsOf(app, state, fitting, now);
  // If several orders are being joined into one, `stored` contains the licenses of all these orders. This transaction then issues no
  // license, so it does not change the list of licenses in the order's row.
  const own = { ...stored, licenses: removed.length > 0 ? [] : stored.licenses };
  return { ...effects, actions: [...effects.actions, partOfOrder(connection.id, own, issuedRefs(effects.parts))] };
}
