import type * as z from 'zod/mini';
import type { exportCustomer as row } from '../../contract/customers';
import type { DeliveryView } from '../../contract/webhooks';
import { addressHash } from '../../domain/audit';
import { deliveryView } from '../../domain/delivery';
import { addressIn } from '../../domain/event';
import { noteView } from '../../domain/note';
import { refusalView, shownRefusals } from '../../domain/refusal';
import { comparableEmail } from '../../domain/email';
import type { License } from '../../domain/license';
import { adapters } from '../../domain/payments';
import { orderView } from '../../domain/payments/order-view';
import { adminMeterView } from '../../domain/meters';
import { isSameAddress } from '../../domain/member';
import { timestampOf } from '../../domain/time';
import { activationViews, licenseView } from '../../domain/views';
import type { App } from '../../runtime/app';
import { responseBytes } from '../../runtime/http/paging';
import { recordWrite } from '../../store/transaction';
import { completeBodies } from '../../store/events/bodies';
import { historyPosition, listLicenseEvents } from '../../store/events/log';
import { licensesOfBuyer } from '../../store/licenses/of-buyer';
import { membershipsOf } from '../../store/licenses/of-member';
import { getLicense, getLicenseWithDevices, readLicenses, type LicenseAddress } from '../../store/licenses/read';
import { getOwnMember, readDevicesOf } from '../../store/members';
import { licenseKey } from '../../store/keys';
import { listNotes } from '../../store/notes';
import { UnreadableRow } from '../../store/row';
import { getConnection } from '../../store/payments/connections';
import { paymentPosition, readPayments, type Payment } from '../../store/payments/log';
import { ordersAmong, paymentsOfOrder, rowsOfBuyer } from '../../store/payments/of-buyer';
import { findOrders, orderPosition } from '../../store/payments/orders';
import { licensesWithPreviousAddress } from '../../store/previous-addresses';
import { getProduct } from '../../store/products';
import { readRefusals } from '../../store/refusals';
import { metersOf } from '../meters';
import { showPayment } from '../payments/show';
import { listConnectionIds } from './connections';
import { addressOf } from '../../store/licenses/search';

/** Exports all data about a buyer (docs/spec/operator.md, A buyer's data), in parts that fit into a response. */

type Export = z.input<typeof row.response>;

/** The position at which a part of the export begins. */
type Position =
  /**
   * The part begins with a license. If `before` is given, the part continues with the notes or events of the license that are older than
   * `before`.
   */
  | { readonly license: number; readonly before?: string }
  /** The part begins with the order at this position of the list of orders, or with the next order if this one has expired. */
  | { readonly order: string }
  /** The part begins with the membership of the license with this id, or of the next license. */
  | { readonly membership: number }
  /**
   * The part begins with the payment at this position of the payments log, or with the next payment if this one has expired in the
   * meantime.
   */
  | { readonly payment: string };

const positionText = (position: Position): string =>
  'membership' in position
    ? `membership-${position.membership}`
    : 'payment' in position
      ? `payment-${position.payment}`
      : 'order' in position
        ? `order-${position.order}`
        : `license-${position.license}${position.before === undefined ? '' : `-${position.before}`}`;

/** Parses the position in a cursor; undefined if the text is not a valid position. */
export function parsePosition(text: string): Position | undefined {
  const [, payment] = /^payment-(\d{16}#[0-9a-f]{32})$/.exec(text) ?? [];
  if (payment !== undefined) return { payment };
  const [, order] = /^order-(\d{16}#[0-9a-f]{22})$/.exec(text) ?? [];
  if (order !== undefined) return { order };
  const [, membership] = /^membership-(\d{1,16})$/.exec(text) ?? [];
  if (membership !== undefined) return { membership: Number(membership) };
  const [, license, before] = /^license-(\d{1,16})(?:-([0-9a-f]{22}|[0-9a-f]{24}))?$/.exec(text) ?? [];
  return license === undefined ? undefined : { license: Number(license), ...(before !== undefined && { before }) };
}

/** Maximum size of one response, in bytes: well below Lambda's limit of 6 MB. */
const MAX_BYTES = 4_000_000;
/** Number of events or notes that one read returns. */
const PAGE = 200;

/**
 * The positions at which the lists of a license's notes and events begin. Both lists are sorted newest first. The position of a note has 24
 * characters, and the position of an event has 22 characters.
 */
const NEWEST_NOTE = 'f'.repeat(24);
const NEWEST = 'f'.repeat(22);

/** Collects items while they fit into one response. The first item always fits. */
class Collector {
  readonly licenses: Export['licenses'] = [];
  readonly notes: Export['notes'] = [];
  readonly refusals: Export['refusals'] = [];
  readonly meters: Export['meters'] = [];
  readonly events: Export['events'] = [];
  readonly orders: Export['orders'] = [];
  readonly payments: Export['payments'] = [];
  readonly memberships: Export['memberships'] = [];
  /** Number of rows that are left out because they could not be read. */
  unreadable = 0;
  private bytes = 0;
  private isEmpty = true;

  /**
   * Reads data for each item. All items are read together. If a row cannot be read, the items are read separately, and the unreadable row
   * is left out.
   */
  async readEach<From, To>(from: readonly From[], read: (from: readonly From[]) => Promise<readonly To[]>): Promise<readonly To[]> {
    try {
      return await read(from);
    } catch (error) {
      if (!(error instanceof UnreadableRow)) throw error;
      if (from.length > 1) return (await Promise.all(from.map((one) => this.readEach([one], read)))).flat();
      this.unreadable += 1;
      return [];
    }
  }

  /**
   * Adds an item to a list of the export.
   *
   * @param along further data that the caller will add to the same response together with the item; its size is counted too
   * @returns false if the response is full; the item is not added then
   */
  add<Item>(list: Item[], item: Item, along: readonly unknown[] = []): boolean {
    this.bytes += responseBytes(JSON.stringify([item, ...along]));
    if (this.bytes > MAX_BYTES && !this.isEmpty) return false;
    this.isEmpty = false;
    list.push(item);
    return true;
  }
}

/** A license that belongs to the buyer now. */
interface CurrentLicense {
  readonly license: License;
  readonly address: LicenseAddress;
}

/** A license that has the buyer's address now (`current`), or had it before. Of the latter, only events are exported. */
interface Subject {
  readonly id: number;
  readonly product_id: number;
  readonly current?: CurrentLicense;
}

/**
 * The licenses that currently have the e-mail address, sorted by id. The index may be slightly behind the table, so the address of each
 * license is compared again.
 */
async function licensesNow(app: App, all: Collector, email: string, productId: number | null): Promise<CurrentLicense[]> {
  const addresses = await licensesOfBuyer(app.table, email, productId);
  const { entities, unreadable } = await readLicenses(
    app.table,
    addresses.map((address) => licenseKey(address.productId, address.key)),
  );
  all.unreadable += unreadable;
  return entities
    .filter(({ license: { customer_email: theirs } }) => theirs !== null && comparableEmail(theirs) === comparableEmail(email))
    .map(({ license, key }) => ({ license, address: addressOf(license, key) }))
    .sort((a, b) => a.license.id - b.license.id);
}

/**
 * Adds the notes on a license, newest first, until the response is full. Returns the position at which to continue; undefined if all notes
 * were added.
 */
async function addNotes({ table }: App, all: Collector, { id }: License, from: string): Promise<Position | undefined> {
  let before = from;
  for (;;) {
    const { notes, unreadable, next } = await listNotes(table, id, before, PAGE);
    all.unreadable += unreadable;
    for (const note of notes) {
      if (!all.add(all.notes, { license_id: id, ...noteView(note) })) return { license: id, before };
      before = note.id;
    }
    if (next === undefined) return undefined;
    before = next;
  }
}

/**
 * Adds a license's events, newest first, until the response is full. Events that contain another buyer's address, from a time when the
 * license had another buyer, are left out. Returns the position at which to continue; undefined if all events were added.
 */
async function addEvents(
  { table }: App,
  all: Collector,
  email: string,
  { id, product_id, current }: Subject,
  from: string | undefined,
): Promise<Position | undefined> {
  const webhookUrl = (await getProduct(table, product_id))?.webhook_url ?? '';
  let before = from ?? NEWEST;
  for (;;) {
    const { deliveries, unreadable, next } = await listLicenseEvents(table, id, before, PAGE);
    all.unreadable += unreadable;
    const theirs = deliveries.filter((delivery) => {
      const address = addressIn(delivery);
      return address === null ? current !== undefined : comparableEmail(address) === comparableEmail(email);
    });
    for (const delivery of await completeBodies(table, theirs)) {
      if (!all.add(all.events, withoutColleague(deliveryView(delivery, webhookUrl), email))) return { license: id, before };
      before = historyPosition(delivery);
    }
    if (next === undefined) return undefined;
    before = next;
  }
}

/** The event without the address of a member of the buyer's license, unless it is the buyer's own. */
function withoutColleague(delivery: DeliveryView, email: string): DeliveryView {
  const { payload } = delivery;
  const member = 'member' in payload.data ? payload.data.member : undefined;
  if (member?.email == null || isSameAddress(member.email, email)) return delivery;
  return { ...delivery, payload: { ...payload, data: { ...payload.data, member: { ...member, email: null } } } };
}

/** What the buyer has bought: the orders and the payment notifications, each oldest first. */
interface Purchases {
  readonly orders: readonly { readonly position: string; readonly view: Export['orders'][number] }[];
  readonly payments: readonly Payment[];
}

const byPosition = (a: string, b: string): number => (a < b ? -1 : 1);

/**
 * The orders and payment notifications about a buyer. They are found by the e-mail address, and by the orders of the buyer's licenses. An
 * order or a notification with another address belongs to the buyer with that address.
 */
async function purchasesOf(
  { table, clock }: App,
  all: Collector,
  connectionIds: readonly number[],
  email: string,
  licenses: readonly License[],
): Promise<Purchases> {
  const isTheirs = (address: string | null): boolean => address === null || comparableEmail(address) === comparableEmail(email);
  const found = new Map<string, Payment>();
  const orders = new Map<string, Purchases['orders'][number]>();
  for (const connectionId of connectionIds) {
    const [connection] = await all.readEach([connectionId], async ([id = 0]) => [await getConnection(table, id)]);
    if (!connection) continue;
    const keys = await rowsOfBuyer(table, connectionId, email);
    const ids = licenses.flatMap(({ order }) => (order?.connection_id === connectionId ? [order.order_id] : []));
    const sold = await all.readEach(ids, (some) =>
      findOrders(
        table,
        connectionId,
        some.flatMap((id) => adapters[connection.processor].idKinds.map((kind) => ({ kind, id }))),
      ),
    );
    const named = await all.readEach(keys, (some) => ordersAmong(table, some));
    const own = [...sold, ...named].filter(({ facts }) => isTheirs(facts.customerEmail));
    for (const order of own) orders.set(order.uid, { position: orderPosition(order), view: orderView(order, connection, clock()) });
    const ofOrders = await Promise.all(own.map((order) => paymentsOfOrder(table, connectionId, order)));
    const distinct = new Map([...keys, ...ofOrders.flat()].map((key) => [key.pk, key]));
    const { entities, unreadable } = await readPayments(table, [...distinct.values()]);
    all.unreadable += unreadable;
    for (const payment of entities) if (isTheirs(payment.customer_email)) found.set(payment.id, payment);
  }
  return {
    orders: [...orders.values()].sort((a, b) => byPosition(a.position, b.position)),
    payments: [...found.values()].sort((a, b) => byPosition(paymentPosition(a), paymentPosition(b))),
  };
}

/**
 * Exports the data about the buyer with an e-mail address, beginning at a position.
 *
 * @param productId the only product whose data is exported; null: all products
 */
export async function exportCustomer(app: App, email: string, productId: number | null, from: Position = { license: 0 }): Promise<Export> {
  const all = new Collector();
  const licenses = await licensesNow(app, all, email, productId);
  const end = await collect(app, all, email, productId, licenses, from);
  app.table.audit?.describe({ target: addressHash(email), details: [] });
  await recordWrite(app.table);
  return {
    customer_email: email,
    licenses: all.licenses,
    notes: all.notes,
    refusals: all.refusals,
    meters: all.meters,
    events: all.events,
    orders: all.orders,
    payments: all.payments,
    memberships: all.memberships,
    ...(all.unreadable > 0 && { unreadable: all.unreadable }),
    next: end ? positionText(end) : null,
  };
}

/** The licenses whose events belong to the export: those that have the address now, and those that had it before, sorted by id. */
async function subjectsOf(
  { table }: App,
  email: string,
  productId: number | null,
  licenses: readonly CurrentLicense[],
): Promise<Subject[]> {
  const now = licenses.map((current) => ({ id: current.license.id, product_id: current.license.product_id, current }));
  const before = (await licensesWithPreviousAddress(table, addressHash(email), productId))
    .filter(({ is_verified, license_id }) => is_verified && now.every(({ id }) => id !== license_id))
    .map(({ license_id, product_id }) => ({ id: license_id, product_id }));
  return [...now, ...before].sort((a, b) => a.id - b.id);
}

async function collect(
  app: App,
  all: Collector,
  email: string,
  productId: number | null,
  licenses: readonly CurrentLicense[],
  from: Position,
): Promise<Position | undefined> {
  if ('license' in from) {
    for (const subject of await subjectsOf(app, email, productId, licenses)) {
      const { id, current } = subject;
      if (id < from.license) continue;
      const before = id === from.license ? from.before : undefined;
      const isAtEvents = before?.length === NEWEST.length;
      const rest =
        (current && !isAtEvents && (await addLicense(app, all, current, before))) ||
        (await addEvents(app, all, email, subject, isAtEvents ? before : undefined));
      if (rest) return rest;
    }
  }
  if ('membership' in from) return addMemberships(app, all, email, productId, from.membership);
  const { orders, payments } = await purchasesOf(
    app,
    all,
    await listConnectionIds(app, productId),
    email,
    licenses.map(({ license }) => license),
  );
  if (!('payment' in from)) {
    const first = 'order' in from ? from.order : '';
    for (const { position, view } of orders) if (position >= first && !all.add(all.orders, view)) return { order: position };
  }
  const first = 'payment' in from ? from.payment : '';
  for (const payment of payments) {
    const position = paymentPosition(payment);
    if (position >= first && !all.add(all.payments, await showPayment(app, payment))) return { payment: position };
  }
  return addMemberships(app, all, email, productId, 0);
}

/**
 * Adds the person's memberships of licenses with the person's devices, from the license with the id `first`, until the response is full. They
 * contain neither the key and the buyer of the license nor its other members.
 */
async function addMemberships(
  { table }: App,
  all: Collector,
  email: string,
  productId: number | null,
  first: number,
): Promise<Position | undefined> {
  const found = (await membershipsOf(table, email, productId)).filter(({ id }) => id >= first).sort((a, b) => a.id - b.id);
  for (const { id } of found) {
    const [record] = await all.readEach([id], async () => {
      const license = await getLicense(table, id);
      const member = license && (await getOwnMember(table, license, email));
      return license && member ? [{ license, member, devices: await readDevicesOf(table, license, [member]) }] : [];
    });
    if (!record) continue;
    const { license, member, devices } = record;
    const view = {
      license_id: id,
      product_id: license.product_id,
      role: member.role,
      added_at: timestampOf(member.added_at),
      devices: activationViews(license, devices),
    };
    if (!all.add(all.memberships, view)) return { membership: id };
  }
  return undefined;
}

/**
 * Adds a license with its devices, refusals and meters, and its notes, until the response is full.
 *
 * @param before the position in the notes at which to continue; undefined if the license was not added yet
 * @returns the position at which to continue; undefined if everything was added
 */
async function addLicense(
  app: App,
  all: Collector,
  { license, address }: CurrentLicense,
  before: string | undefined,
): Promise<Position | undefined> {
  if (before === undefined) {
    const [record] = await all.readEach([address], async ([one = address]) => [await getLicenseWithDevices(app.table, one)]);
    if (record) {
      const rows = await readRefusals(app.table, { product_id: license.product_id, license_id: license.id });
      all.unreadable += rows.unreadable;
      const refusals = shownRefusals(rows.entities, { license_id: license.id }, app.clock()).map(refusalView);
      const meters = (await metersOf(app, record.license, adminMeterView)).map((meter) => ({ license_id: license.id, ...meter }));
      const view = licenseView(
        record.license,
        record.devices.map((device) => ({ ...device, member: null })),
      );
      if (!all.add(all.licenses, view, [...refusals, ...meters])) return { license: license.id };
      all.refusals.push(...refusals);
      all.meters.push(...meters);
    }
  }
  return addNotes(app, all, license, before ?? NEWEST_NOTE);
}
