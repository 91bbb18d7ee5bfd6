import { NO_ORIGIN, type RequestOrigin } from '../../domain/audit';
import { EVENT_RANDOM_BYTES, type Event } from '../../domain/event';
import { keyMailFor } from '../../domain/key-mail';
import type { License } from '../../domain/license';
import { generateKey, KEY_RANDOM_BYTES, lookupKey } from '../../domain/license-key';
import { termsOf, type LicenseType } from '../../domain/license-type';
import { metadataOf } from '../../domain/metadata';
import { adapters, carryOut, idKey, joined, shownOrderId, type Notification, type Outcome, type Verdict } from '../../domain/payments';
import type { Connection } from '../../domain/payments/connection';
import { changeOf, issueOf, orderLicense, withSubscription } from '../../domain/payments/license-steps';
import { fitting, TOO_MANY_WAIT, withinLimits } from '../../domain/payments/limits';
import type { Product } from '../../domain/product';
import { UnreadableSeal } from '../../domain/seal';
import type { App } from '../../runtime/app';
import { log } from '../../runtime/observability/log';
import { count } from '../../runtime/observability/metrics';
import { recordEvent } from '../../store/events/record';
import { licenseKey, licenseTypeKey, productKey } from '../../store/keys';
import { toLicenseType } from '../../store/license-types';
import { transitionActions } from '../../store/licenses/commit';
import { issueActions, nextLicenseId } from '../../store/licenses/create';
import { getLicense } from '../../store/licenses/read';
import { isDeadKey, toLicense } from '../../store/licenses/rows';
import { isBuyerAwaited, noteFill, waitForBuyer } from '../../store/payments/buyer-fills';
import { getPayment, recordPayment, settlePayment, type Payment, type PaymentStatus } from '../../store/payments/log';
import {
  customerAction,
  findOrders,
  getOrder,
  orderActions,
  partOfOrder,
  readOrders,
  unknownOrder,
  useEventId,
  type OrderLicenseRef,
  type StoredOrder,
  type WaitingNotification,
} from '../../store/payments/orders';
import { toProduct } from '../../store/products';
import { backoff, getItems, retryLimit, StoreUnavailable, type Item } from '../../store/table';
import { MAX_ACTIONS, transact, type Action } from '../../store/transaction';
import { announce } from '../announce';
import { auditPayments, type Touched } from './audit';
import { payloadPlace } from './connections';
import { readBack } from './read-back';

/**
 * Carries out what a payment processor reports: the row of the log, the order, its licenses and their events in one
 * transaction, on top of exactly what was read (docs/spec/payments.md, What a notification does). When others were faster, all of
 * it is read and decided again.
 */

/** A notification on its way into the log. */
export interface Incoming {
  readonly notification: Notification;
  readonly source: Payment['source'];
  /** What was sent, sealed for the row `paymentId`. */
  readonly payload: string;
  readonly paymentId: string;
  /** Where it came from, for the audit log. */
  readonly origin: RequestOrigin;
}

export interface Receipt {
  readonly status: PaymentStatus | 'duplicate';
  readonly id: string;
}

interface Read {
  readonly stored: StoredOrder;
  /** Orders that turned out to be the same. */
  readonly removed: readonly StoredOrder[];
  readonly licenses: ReadonlyMap<number, License>;
  readonly types: ReadonlyMap<number, LicenseType>;
  readonly product: Product;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const newPaymentId = (app: App): string => hex(app.random(16));

/** The license types that a connection may issue. */
const typeIdsOf = ({ plans, default_license_type_id }: Connection): number[] => [
  ...new Set([
    ...plans.map(({ license_type_id }) => license_type_id),
    ...(default_license_type_id === null ? [] : [default_license_type_id]),
  ]),
];

/** The licenses of an order as they are now; one that was moved to a new key is found by its id. */
async function readLicenses(app: App, connection: Connection, refs: readonly OrderLicenseRef[]): Promise<ReadonlyMap<number, License>> {
  const items = await getItems(
    app.table,
    refs.map(({ key }) => licenseKey(connection.product_id, lookupKey(key) ?? '')),
  );
  const licenses = new Map<number, License>();
  for (const [index, { id }] of refs.entries()) {
    const item = items[index];
    const license = item && !isDeadKey(item) ? toLicense(item) : await getLicense(app.table, id);
    if (license) licenses.set(id, license);
  }
  return licenses;
}

/** Several orders as one: the first keeps its row, the others are removed with the commit. */
function joinStored(orders: readonly StoredOrder[], uid: string): Pick<Read, 'stored' | 'removed'> {
  const [first = unknownOrder(uid), ...rest] = [...orders].sort((a, b) => b.licenses.length - a.licenses.length);
  if (rest.length === 0) return { stored: first, removed: [] };
  return {
    stored: {
      ...first,
      order: joined([first, ...rest].map(({ order }) => order)),
      licenses: [first, ...rest].flatMap(({ licenses }) => licenses),
      waiting: [first, ...rest].flatMap(({ waiting }) => waiting),
      joined: [...first.joined, ...rest.flatMap(({ uid, joined }) => [uid, ...joined])],
      issued_at: first.issued_at ?? rest.find(({ issued_at }) => issued_at !== null)?.issued_at ?? null,
    },
    removed: rest,
  };
}

/** The rows of the table that every notification of a connection rests on besides its order: the product and what it sells. */
const termKeys = (connection: Connection) => [
  productKey(connection.product_id),
  ...typeIdsOf(connection).map((id) => licenseTypeKey(connection.product_id, id)),
];

/** What {@link termKeys} lead to. */
function termsOfSale(connection: Connection, [productItem, ...typeItems]: readonly (Item | undefined)[]): Pick<Read, 'product' | 'types'> {
  if (!productItem) throw new Error(`Connection ${connection.id} is of a product that is gone`);
  const types = typeItems.flatMap((item) => (item ? [toLicenseType(item)] : []));
  return { product: toProduct(productItem), types: new Map(types.map((type) => [type.id, type])) };
}

interface Committable {
  readonly actions: readonly Action[];
  readonly events: readonly Event[];
  readonly verdicts: readonly Verdict[];
  readonly licenseIds: readonly number[];
  /** The licenses that it issues or changes, for the audit log. */
  readonly touched: readonly Touched[];
}

/** What leads to a license of an order, with the key that it has now. */
const withKey = (ref: OrderLicenseRef, key: string): OrderLicenseRef => (key === ref.key ? ref : { ...ref, key, reissued: true });

/** What is made of one license, which can be committed before the rest. */
interface PartOfOrder extends Pick<Committable, 'actions' | 'events' | 'touched'> {
  /** To be mailed together. */
  readonly toMail: readonly License[];
  readonly issued: readonly OrderLicenseRef[];
}

/** Several parts as one, with one mail. */
function together(app: App, product: Product, parts: readonly PartOfOrder[], now: number): PartOfOrder {
  const toMail = parts.flatMap((part) => part.toMail);
  const mail = keyMailFor(product, toMail, now, app.random(EVENT_RANDOM_BYTES));
  return {
    actions: [...parts.flatMap(({ actions }) => actions), ...(mail ? [recordEvent(mail)] : [])],
    events: [...parts.flatMap(({ events }) => events), ...(mail ? [mail] : [])],
    touched: parts.flatMap(({ touched }) => touched),
    toMail,
    issued: parts.flatMap(({ issued }) => issued),
  };
}

/** The effect of notifications for an order, as actions of one transaction. */
async function decide(
  app: App,
  connection: Connection,
  { stored, removed, licenses, types, product }: Read,
  received: readonly Omit<WaitingNotification, 'status'>[],
  now: number,
  postponed: readonly WaitingNotification[] = [],
): Promise<Committable & { readonly after: StoredOrder; readonly parts: readonly PartOfOrder[] }> {
  const knownIds = new Set([stored, ...removed].flatMap(({ order }) => order.ids.map(idKey)));
  const outcome: Outcome = carryOut(
    stored.order,
    stored.licenses.flatMap(({ id, line, issued_expires_at, removed }) => {
      const license = licenses.get(id);
      return license ? [orderLicense(license, line, issued_expires_at, removed)] : [];
    }),
    received.map(({ notification, received_at }) => ({ notification, receivedAt: received_at })),
    { ...connection, types },
  );

  const subscriptionId = outcome.order.ids.find(({ kind }) => kind === 'subscription')?.id ?? null;
  const isTest = received.some(({ notification }) => notification.test === true) || connection.mode === 'test';
  const adapter = adapters[connection.processor];
  const issues: PartOfOrder[] = [];
  const changes: PartOfOrder[] = [];
  for (const planned of outcome.issue) {
    const type = types.get(planned.licenseTypeId);
    if (!type) throw new Error(`There is no license type ${planned.licenseTypeId}`);
    const issued = issueOf(
      {
        id: await nextLicenseId(app.table),
        key: generateKey(app.random(KEY_RANDOM_BYTES)),
        product_id: connection.product_id,
        product_slug: product.slug,
        license_type: termsOf(type),
        customer_email: planned.customerEmail,
        metadata: metadataOf('{}'),
        max_seats: planned.maxSeats ?? null,
        expires_at: planned.expiresAt,
        order: {
          processor: connection.processor,
          connection_id: connection.id,
          order_id: shownOrderId(adapter, outcome.order.ids) ?? '',
          subscription_id: subscriptionId,
          ref: planned.ref,
          line: planned.line,
          test: isTest,
        },
      },
      planned,
      connection,
      now,
    );
    issues.push({
      ...issueActions(app.table, issued),
      touched: [{ license: issued.license, occurrences: issued.occurrences }],
      toMail: [issued.license],
      issued: [
        {
          id: issued.license.id,
          key: issued.license.key,
          reissued: false,
          line: planned.line,
          issued_expires_at: issued.license.expires_at,
          removed: planned.removed,
        },
      ],
    });
  }

  for (const license of licenses.values()) {
    const change = withSubscription(
      license,
      changeOf(license, outcome.steps.get(license.id) ?? [], connection, types, now),
      subscriptionId,
      now,
    );
    if (!change) continue;
    // New licenses are mailed, and those whose buyer's address became known only now.
    const isMailed = license.customer_email === null && change.after.customer_email !== null && change.after.status !== 'revoked';
    changes.push({
      ...transitionActions(app.table, change),
      touched: change.occurrences.length > 0 ? [{ license: change.after, change, occurrences: change.occurrences }] : [],
      toMail: isMailed ? [change.after] : [],
      issued: [],
    });
  }
  const all = together(app, product, [...issues, ...changes], now);

  const open = received.flatMap(({ payment_id, received_at, notification }, index) => {
    const status = outcome.verdicts[index]?.status;
    return status === 'held' || status === 'waiting' ? [{ payment_id, received_at, notification, status }] : [];
  });
  // Those that wait already stay.
  const known = new Set(stored.waiting.map(({ payment_id }) => payment_id));
  const entries = [
    ...postponed,
    ...open.filter(({ payment_id }) => known.has(payment_id)),
    ...open.filter(({ payment_id }) => !known.has(payment_id)),
  ];
  const fits = fitting(entries);
  const left = new Set(entries.filter((_, index) => !fits[index]).map(({ payment_id }) => payment_id));

  const after: StoredOrder = {
    ...stored,
    order: outcome.order,
    licenses: [
      ...stored.licenses.map((ref) => ({ ...withKey(ref, licenses.get(ref.id)?.key ?? ref.key), ...outcome.places.get(ref.id) })),
      ...all.issued,
    ],
    waiting: entries.filter(({ payment_id }) => !left.has(payment_id)),
    issued_at: stored.issued_at ?? (all.issued.length > 0 ? now : null),
  };
  return {
    after,
    actions: [...all.actions, ...orderActions(connection.id, after, stored.licenses.length > 0, knownIds, removed, now)],
    events: all.events,
    verdicts: outcome.verdicts.map((verdict, index) =>
      left.has(received[index]?.payment_id ?? '') ? { status: 'held', reason: TOO_MANY_WAIT } : verdict,
    ),
    licenseIds: [...stored.licenses, ...all.issued].map(({ id }) => id),
    touched: all.touched,
    // A line that the order does not have yet is issued whole: nothing else would tell that it was begun.
    parts: [
      ...changes,
      ...issues.filter(
        ({ issued }) => removed.length === 0 && issued.every(({ line }) => stored.order.lines.some(({ id }) => id === line)),
      ),
    ],
  };
}

type Decided = Awaited<ReturnType<typeof decide>>;
type Undecided = Omit<WaitingNotification, 'status'> & Partial<Pick<WaitingNotification, 'status'>>;

/**
 * Actions of a transaction that are not the order's: the rows of the log with a long payload, the dedupe key, the rows of the buyer, and
 * entries in the audit log.
 */
const OTHER_ACTIONS = 12;

const fits = ({ actions }: Pick<Committable, 'actions'>, received: number): boolean =>
  actions.length + received + OTHER_ACTIONS <= MAX_ACTIONS;

/**
 * Commits as many of the changes of licenses as fit, if all that is to be done does not: the rest is decided again on top of them.
 * Made again after a fault, what is committed is found done.
 *
 * @returns undefined if it all fits, or nothing of it can go ahead; false if others were faster
 */
async function commitPart(
  app: App,
  connection: Connection,
  { stored, removed, product }: Read,
  decided: Decided,
  received: number,
  origin: RequestOrigin,
  now: number,
): Promise<boolean | undefined> {
  if (fits(decided, received)) return undefined;
  const parts: PartOfOrder[] = [];
  let length = 0;
  for (const part of decided.parts) {
    if (length + part.actions.length + OTHER_ACTIONS > MAX_ACTIONS) break;
    parts.push(part);
    length += part.actions.length;
  }
  if (parts.length === 0) return undefined;
  const { actions, events, touched, issued } = together(app, product, parts, now);
  // The row of the order that is kept as it was read, without what others are joined to it.
  const own = { ...stored, licenses: removed.length > 0 ? [] : stored.licenses };
  const all = [...actions, partOfOrder(connection.id, own, issued)];
  const outcome = await transact(app.table, [...all, ...auditPayments(app, connection, origin, touched, MAX_ACTIONS - 1 - all.length)]);
  if (outcome.committed) await announce(app, events);
  return outcome.committed;
}

/**
 * What {@link decide} makes of notifications, as far as it fits one transaction. A large order and all that waited for it
 * may not: then one of them is carried out, and the others wait for the transaction after it.
 */
async function decideWithinLimit(
  app: App,
  connection: Connection,
  read: Read,
  received: readonly Undecided[],
  now: number,
): Promise<Decided & { readonly postponed: boolean }> {
  const decided = await decide(app, connection, read, received, now);
  if (received.length === 1 || fits(decided, received.length)) return { ...decided, postponed: false };
  for (const one of received) {
    const others = received
      .filter((other) => other !== one)
      .map((other): WaitingNotification => ({ ...other, status: other.status ?? 'waiting' }));
    const alone = await decide(app, connection, read, [one], now, others);
    const [verdict] = alone.verdicts;
    if (!verdict || verdict.status === 'waiting' || verdict.status === 'held') continue;
    return {
      ...alone,
      verdicts: received.map((other) =>
        other === one ? verdict : { status: other.status ?? 'waiting', reason: 'The order is carried out in several steps.' },
      ),
      postponed: true,
    };
  }
  return { ...decided, postponed: false };
}

/** Before another try, when others were faster. */
async function awaitTurn(app: App, deadline: number, attempt: number): Promise<void> {
  if (app.clock() >= deadline) throw new StoreUnavailable('The order changed faster than it could be carried out');
  await backoff(app.table, attempt);
}

/** The row of a notification as it is recorded. */
function paymentOf(
  connection: Connection,
  incoming: Incoming,
  { order, uid }: Pick<StoredOrder, 'order' | 'uid'>,
  verdict: Verdict,
  licenseIds: readonly number[],
  now: number,
): Payment {
  const { notification, source, payload, paymentId } = incoming;
  const [first] = notification.actions;
  return {
    id: paymentId,
    product_id: connection.product_id,
    connection_id: connection.id,
    processor: connection.processor,
    source,
    event_id: notification.eventId,
    type: notification.type,
    action: first.kind === 'oversized' ? first.of : first.kind,
    status: verdict.status,
    reason: verdict.reason,
    order_id: shownOrderId(adapters[connection.processor], order.ids.length > 0 ? order.ids : notification.ids),
    subscription_id: notification.subscriptionId,
    customer_email: notification.customerEmail ?? order.customerEmail,
    test: notification.test ?? connection.mode === 'test',
    license_ids: verdict.status === 'done' ? licenseIds : [],
    occurred_at: notification.occurredAt,
    received_at: now,
    processed_at: verdict.status === 'done' || verdict.status === 'ignored' ? now : null,
    order_uid: notification.ids.length > 0 ? uid : null,
    payload,
  };
}

/** Whether a notification concerns no order: its row is all that is recorded. */
const concernsNoOrder = ({ ids, customerId }: Notification): boolean => ids.length === 0 && customerId === null;

/**
 * Carries out a notification that was verified, and records it.
 *
 * @throws StoreUnavailable when others stay faster until the request may retry no longer; nothing is then committed
 */
export async function receiveNotification(app: App, connection: Connection, incoming: Incoming, now: number): Promise<Receipt> {
  const { paymentId } = incoming;
  const notification = withinLimits(incoming.notification);
  const deadline = retryLimit(app.table);
  const isOfTestMode = connection.mode === 'live' && notification.test === true;
  const isOnlyLogged = isOfTestMode || concernsNoOrder(notification) || notification.actions.every(({ kind }) => kind === 'ignored');

  for (let attempt = 0; ; attempt += 1) {
    const uid = hex(app.random(11));
    const known = await readOrders(app.table, connection.id, notification, termKeys(connection));
    if (known.duplicateOf !== undefined && !notification.repeatable) return { status: 'duplicate', id: known.duplicateOf };
    const terms = termsOfSale(connection, known.also);
    const { stored, removed } = joinStored(known.orders, uid);
    const once = notification.repeatable ? [] : [useEventId(connection.id, notification.eventId, paymentId, now)];

    let commit: Committable;
    let postponed = false;
    if (isOnlyLogged) {
      const [{ kind }] = notification.actions;
      const reason = isOfTestMode
        ? 'The notification is of the test mode, and the connection is live.'
        : kind === 'ignored'
          ? notification.actions.flatMap((action) => (action.kind === 'ignored' ? [action.reason] : [])).join(' ')
          : null;
      const verdict: Verdict = { status: 'ignored', reason };
      commit = {
        actions: [...once, ...recordPayment(paymentOf(connection, { ...incoming, notification }, stored, verdict, [], now))],
        events: [],
        verdicts: [verdict],
        licenseIds: [],
        touched: [],
      };
    } else if (notification.ids.length === 0) {
      commit = await noteBuyer(app, connection, { ...incoming, notification }, known, once, now);
    } else {
      const licenses = await readLicenses(app, connection, stored.licenses);
      const email = notification.customerEmail ?? known.customerEmail;
      const complete: Notification = { ...notification, customerEmail: email };
      const received = [{ payment_id: paymentId, received_at: now, notification: complete }, ...stored.waiting];
      const read = { stored, removed, licenses, ...terms, types: await withTypesOf(app, connection, stored, terms.types) };
      const decided = await decideWithinLimit(app, connection, read, received, now);
      const part = await commitPart(app, connection, read, decided, received.length, incoming.origin, now);
      if (part === true) continue;
      if (part === false) {
        await awaitTurn(app, deadline, attempt);
        continue;
      }
      ({ postponed } = decided);
      const [own, ...others] = decided.verdicts;
      if (!own) throw new Error('A notification was not decided');
      const { after } = decided;
      const customer =
        notification.customerId !== null && after.order.customerEmail === null && (removed.length > 0 || stored.order.customerId === null)
          ? [
              customerAction(connection.id, notification.customerId, known, null, now),
              waitForBuyer(connection.id, notification.customerId, after.uid),
            ]
          : [];
      commit = {
        ...decided,
        actions: [
          ...once,
          ...recordPayment(paymentOf(connection, { ...incoming, notification: complete }, after, own, decided.licenseIds, now)),
          ...settleOthers(stored.waiting, others, decided.licenseIds, now),
          ...customer,
          ...decided.actions,
        ],
      };
    }

    const entries = auditPayments(app, connection, incoming.origin, commit.touched, MAX_ACTIONS - commit.actions.length);
    const outcome = await transact(app.table, [...commit.actions, ...entries], deadline);
    if (outcome.committed) {
      const status = commit.verdicts[0]?.status ?? 'ignored';
      if (status === 'held') reportHeld(connection, incoming);
      await announce(app, commit.events);
      if (postponed) await carryOutPostponed(app, connection, stored.uid, now);
      return { status, id: paymentId };
    }
    await awaitTurn(app, deadline, attempt);
  }
}

/**
 * What did not fit the transaction. Never fails: that one is committed, and what still waits is carried out with the order's next
 * notification.
 */
async function carryOutPostponed(app: App, connection: Connection, uid: string, now: number): Promise<void> {
  try {
    await carryOutWaiting(app, connection, uid, now, ({ notification }) => notification);
  } catch (error) {
    log.warn('PAYMENT_POSTPONED', { product_id: connection.product_id, connection_id: connection.id }, error);
  }
}

/** A buyer has paid and got nothing: the operator is warned, unless nobody really paid. */
function reportHeld({ id, product_id, mode }: Connection, { notification, paymentId }: Incoming): void {
  if (mode === 'test' || notification.test === true) return;
  count('payment.held');
  log.warn('SALE_HELD', { product_id, connection_id: id, payment_id: paymentId });
}

/** Rows of the log whose notifications waited, and are carried out now. */
const settleOthers = (
  waiting: readonly WaitingNotification[],
  verdicts: readonly Verdict[],
  licenseIds: readonly number[],
  now: number,
): Action[] =>
  waiting.flatMap(({ payment_id, status }, index) => {
    const verdict = verdicts[index];
    if (!verdict || verdict.status === status) return [];
    const isOver = verdict.status === 'done' || verdict.status === 'ignored';
    return [
      settlePayment(payment_id, {
        status: verdict.status,
        reason: verdict.reason,
        license_ids: isOver ? licenseIds : [],
        processed_at: isOver ? now : null,
      }),
    ];
  });

/** A buyer's address became known: it is kept for orders to come, and those that wait for it are filled next (`fill-orders.ts`). */
async function noteBuyer(
  app: App,
  connection: Connection,
  incoming: Incoming,
  known: Awaited<ReturnType<typeof readOrders>>,
  once: readonly Action[],
  now: number,
): Promise<Committable> {
  const { notification, paymentId } = incoming;
  const { customerId, customerEmail } = notification;
  if (customerId === null) throw new Error('A notification without ids names a customer');
  const isAwaited = known.customerOrders.length > 0 || (await isBuyerAwaited(app.table, connection.id, customerId));
  const verdict: Verdict = isAwaited
    ? { status: 'waiting', reason: 'The address is being written to the orders that wait for it.' }
    : { status: 'ignored', reason: 'The customer has bought nothing yet.' };
  return {
    actions: [
      ...once,
      ...recordPayment(paymentOf(connection, incoming, unknownOrder(''), verdict, [], now)),
      customerAction(connection.id, customerId, known, customerEmail, now),
      ...(isAwaited ? [noteFill(connection.id, customerId, paymentId)] : []),
    ],
    events: [],
    verdicts: [verdict],
    licenseIds: [],
    touched: [],
  };
}

/** License types of what an order has, also of plans that are gone. */
async function withTypesOf(app: App, { product_id }: Connection, { order }: StoredOrder, types: Read['types']): Promise<Read['types']> {
  const missing = [...new Set(order.lines.map(({ licenseTypeId }) => licenseTypeId))].filter((id) => !types.has(id));
  const items =
    missing.length > 0
      ? await getItems(
          app.table,
          missing.map((id) => licenseTypeKey(product_id, id)),
        )
      : [];
  return new Map([...types, ...items.flatMap((item) => (item ? [toLicenseType(item)] : [])).map((type) => [type.id, type] as const)]);
}

/**
 * Carries out again what is held or waits for an order: plans may have changed since, or an `api_key` may be there to read what
 * was missing. Nothing happens when nothing became possible.
 *
 * @throws StoreUnavailable when others stay faster until the request may retry no longer
 */
export async function processOrder(app: App, connection: Connection, uid: string, now: number, also: Payment): Promise<void> {
  const readAgain = new Map<string, Promise<Notification>>();
  await carryOutWaiting(
    app,
    connection,
    uid,
    now,
    ({ payment_id, notification }) => {
      const read = readAgain.get(payment_id) ?? readBackAgain(app, connection, payment_id, notification);
      readAgain.set(payment_id, read);
      return read;
    },
    { alsoHeld: await notKept(app, connection, also) },
  );
}

/** What else is to be carried out with what waits for an order. */
interface Lead {
  readonly notification: WaitingNotification;
  /** What commits with the last transaction. */
  readonly alongside: (licenseIds: readonly number[]) => readonly Action[];
}

/** A row of the log that is held and did not fit its order, as the entry that it would be there; undefined if it can't be read again. */
async function notKept(
  app: App,
  connection: Connection,
  { id, payload, received_at, status, customer_email, test }: Payment,
): Promise<WaitingNotification | undefined> {
  const text = payload === null ? undefined : await openedPayload(app, id, payload);
  const notification = text === undefined ? undefined : adapters[connection.processor].read(text, {});
  if (!notification || (status !== 'held' && status !== 'waiting')) return undefined;
  return {
    payment_id: id,
    status,
    received_at,
    notification: withinLimits({ ...notification, needs: [], test, customerEmail: notification.customerEmail ?? customer_email }),
  };
}

/** What was sent; undefined if it will not open. */
const openedPayload = (app: App, paymentId: string, sealed: string): Promise<string | undefined> =>
  app.secrets.open('payment_payload', sealed, payloadPlace(paymentId)).then(String, (error: unknown) => {
    if (error instanceof UnreadableSeal) return undefined;
    throw error;
  });

/**
 * Carries out what is held or waits for an order, as far as it is possible now.
 *
 * @param notificationOf what a row that waits is taken to report
 * @param alsoHeld one that may wait without being kept with its order
 * @param lead carried out first, whether or not anything waits
 */
export async function carryOutWaiting(
  app: App,
  connection: Connection,
  uid: string,
  now: number,
  notificationOf: (entry: WaitingNotification) => Promise<Notification> | Notification,
  { alsoHeld, lead }: { readonly alsoHeld?: WaitingNotification | undefined; readonly lead?: Lead } = {},
): Promise<void> {
  const deadline = retryLimit(app.table);
  let extra = alsoHeld;
  for (let attempt = 0; ; attempt += 1) {
    const order = await getOrder(app.table, connection.id, uid);
    const withExtra = (waiting: readonly WaitingNotification[]): readonly WaitingNotification[] =>
      extra === undefined || waiting.some(({ payment_id }) => payment_id === extra?.payment_id) ? waiting : [...waiting, extra];
    if (!order || (withExtra(order.waiting).length === 0 && !lead)) {
      if (lead) await transact(app.table, lead.alongside([]));
      return;
    }
    const notifications = new Map<string, Notification>();
    for (const entry of withExtra(order.waiting)) notifications.set(entry.payment_id, await notificationOf(entry));
    // What was read may name ids that belong to another order.
    const ids = [...notifications.values()].flatMap((notification) => notification.ids);
    const { stored, removed } = joinStored(await findOrders(app.table, connection.id, [...order.order.ids.slice(0, 1), ...ids]), uid);
    const terms = termsOfSale(connection, await getItems(app.table, termKeys(connection)));
    const licenses = await readLicenses(app, connection, stored.licenses);
    const kept = withExtra(stored.waiting);
    const waiting = kept.map((entry) => ({ ...entry, notification: notifications.get(entry.payment_id) ?? entry.notification }));
    const received = lead ? [lead.notification, ...waiting] : waiting;
    const read = { stored, removed, licenses, ...terms, types: await withTypesOf(app, connection, stored, terms.types) };
    const decided = await decideWithinLimit(app, connection, read, received, now);
    const { audit } = app.table;
    const origin = audit?.origin ?? NO_ORIGIN;
    const part = await commitPart(app, connection, read, decided, received.length, origin, now);
    if (part === true) continue;
    if (part === false) {
      await awaitTurn(app, deadline, attempt);
      continue;
    }
    const settled = settleOthers(kept, lead ? decided.verdicts.slice(1) : decided.verdicts, decided.licenseIds, now);
    if (!lead && settled.length === 0 && decided.events.length === 0) return;
    const actions = [
      ...settled,
      ...decided.actions,
      ...(lead && !decided.postponed ? lead.alongside(decided.after.licenses.length > 0 ? decided.licenseIds : []) : []),
    ];
    // One action is left to the entry of the request itself.
    const entries = auditPayments(app, connection, origin, decided.touched, MAX_ACTIONS - 1 - actions.length);
    const [license, ...others] = decided.touched;
    audit?.describe({ product_id: connection.product_id, license_id: license && others.length === 0 ? license.license.id : null });
    const outcome = await transact(app.table, [...actions, ...entries], deadline);
    if (outcome.committed) {
      await announce(app, decided.events);
      // What is carried out must not be carried out again.
      if (
        decided.verdicts.some(
          ({ status }, index) => received[index]?.payment_id === extra?.payment_id && status !== 'held' && status !== 'waiting',
        )
      )
        extra = undefined;
      if (decided.postponed) continue;
      return;
    }
    await awaitTurn(app, deadline, attempt);
  }
}

/** What a row of the log reported, with what the processor can be asked for now. It was proven, or taken without proof, when it came. */
async function readBackAgain(app: App, connection: Connection, paymentId: string, notification: Notification): Promise<Notification> {
  const sealed = connection.api_key === null ? null : (await getPayment(app.table, paymentId))?.payload;
  if (sealed == null) return notification;
  const text = await openedPayload(app, paymentId, sealed);
  const needs = (text === undefined ? undefined : adapters[connection.processor].read(text, {}))?.needs ?? [];
  const read = await readBack(app, connection, { ...notification, needs }, true);
  return read === 'unproven' ? notification : withinLimits(read);
}
