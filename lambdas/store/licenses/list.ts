import type { LicenseStatus } from '../../contract/statuses';
import { comparableEmail } from '../../domain/email';
import { boundDevice, isFull, type Device, type License } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import { dateOf } from '../../domain/time';
import { behindLicense, DEVICE_PREFIX, emailList, licenseKey, licenseList, listPosition } from '../keys';
import { readRows, UnreadableRow, type Readable } from '../row';
import { BATCH_SIZE, getItems, queryPages, readPages, type Query } from '../items';
import type { Table } from '../table';
import { getLicenseWithDevices, MAX_LISTED_DEVICES, MAX_ROWS, type LicenseWithDevices } from './read';
import { withDetails } from './details';
import { hasRange, isInRange, licensesByExpiry, type ExpiryRange } from './expiry';
import { licensesOfOrder } from './of-order';
import { deviceRowKey, isDeadKey, toDevice, toLicense } from './rows';
import { chunks } from '../chunks';

/** The filters of a list of licenses. A license must match all filters that are given. */
export interface LicenseFilter extends ExpiryRange {
  readonly status?: LicenseStatus | undefined;
  readonly license_type_id?: number | undefined;
  /** The period in which the license was issued, epoch ms: `created_after` is included, `created_before` is not. */
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
  /** `full`: no further device can be activated. `unused`: no device takes a seat. */
  readonly seats?: 'full' | 'unused' | undefined;
  /** The buyer's e-mail address; upper and lower case do not matter. */
  readonly customer_email?: string | undefined;
  /** The license key as returned by `lookupKey`. */
  readonly key?: string | undefined;
  /** Selects only licenses that were never activated and whose term begins with the first activation. */
  readonly starts?: 'pending' | undefined;
  /** A UTC day, such as `2026-11-20`. Selects only licenses that have devices and whose devices were all last seen before that day. */
  readonly unseen_since?: string | undefined;
  /**
   * Any id of an order at a payment processor. The licenses are found through the order, because a license's row does not contain all ids
   * of its order.
   */
  readonly order?: string | undefined;
  /** If true, selects only licenses that never expire. */
  readonly never_expires?: boolean;
}

export interface LicensePage {
  readonly licenses: readonly LicenseWithDevices[];
  /** Number of rows that this version cannot read. The licenses in these rows are missing from `licenses`. */
  readonly unreadable: number;
  /** The id after which the next page starts, if there may be more licenses. */
  readonly next?: number;
}

export const matches = (license: License, filter: LicenseFilter): boolean =>
  matchesFields(license, filter) &&
  isInRange(license, filter) &&
  matchesSeats(license, filter) &&
  (!filter.never_expires || license.expires_at === null) &&
  (filter.starts === undefined || license.term !== null) &&
  (filter.unseen_since === undefined || license.seats_used > 0);

/** Whether the devices of a license match the filter. The license itself must already match (see {@link matches}). */
export const devicesMatch = ({ license, devices }: LicenseWithDevices, { unseen_since }: LicenseFilter): boolean =>
  unseen_since === undefined ||
  devices.every(
    (device) => boundDevice(license, device) === undefined || (device.last_seen_on ?? dateOf(device.activated_at)) < unseen_since,
  );

const matchesSeats = (license: License, { seats }: LicenseFilter): boolean =>
  seats === undefined || (seats === 'full' ? isFull(license) : license.seats_used === 0);

const matchesFields = (
  license: License,
  { status, license_type_id, customer_email, key, created_after = 0, created_before = Infinity }: LicenseFilter,
): boolean =>
  (status === undefined || license.status === status) &&
  (license_type_id === undefined || license.license_type.id === license_type_id) &&
  (customer_email === undefined ||
    (license.customer_email !== null && comparableEmail(license.customer_email) === comparableEmail(customer_email))) &&
  (key === undefined || lookupKey(license.key) === key) &&
  license.created_at >= created_after &&
  license.created_at < created_before;

/** Whether the filter has a field that the index of the list contains. */
const isFilteredByIndex = ({ status, license_type_id }: LicenseFilter): boolean => status !== undefined || license_type_id !== undefined;
/** Whether the filter has a field that only the license's row contains. */
const isFilteredByRow = ({ seats, starts, unseen_since, created_after, created_before, never_expires }: LicenseFilter): boolean =>
  seats !== undefined ||
  starts !== undefined ||
  unseen_since !== undefined ||
  created_after !== undefined ||
  created_before !== undefined ||
  never_expires === true;
/** Whether the filter has more fields than the fields by which licenses are looked up: order, key, e-mail address and range of expiries. */
export const isFiltered = (filter: LicenseFilter): boolean => isFilteredByIndex(filter) || isFilteredByRow(filter);

/**
 * The start of a page: the list continues after the id `past`, in ascending or descending order of ids. With 0 the list starts at its
 * beginning.
 */
export interface Start {
  readonly order: 'asc' | 'desc';
  readonly past: number;
}

const isPast = (id: number, { order, past }: Start): boolean => past === 0 || (order === 'asc' ? id > past : id < past);

/**
 * Lists up to `limit` licenses of a product from `start` on, sorted by id, with their devices. If the filter has an order, a key, an e-mail
 * address or a range of expiries, these licenses are looked up. Otherwise the whole list is read and filtered.
 */
export async function listLicenses(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  start: Start,
  limit: number,
  maxRows = MAX_ROWS,
): Promise<LicensePage> {
  const ofOrder = await findLicensesOfOrder(table, productId, filter);
  if (ofOrder) return licensesByKeys(table, productId, await inOrder(table, productId, ofOrder, start), filter, start, limit, maxRows);
  if (filter.key !== undefined) return licensesByKeys(table, productId, [filter.key], filter, start, limit, maxRows);
  if (filter.customer_email !== undefined) {
    const keys = await findLicensesByEmail(table, productId, filter.customer_email, start);
    return licensesByKeys(table, productId, keys, filter, start, limit, maxRows);
  }
  if (hasRange(filter)) {
    const few = await findLicensesInRange(table, productId, filter, start, Math.min(FEW, maxRows));
    if (!few) {
      // The range has many licenses, possibly most licenses of the product. Reading the list may then fill the page with fewer reads than
      // the index.
      const page = await walkRows(table, productId, filter, start, limit, Math.min(ROWS_TRIED * (limit + 1), maxRows));
      if (page.licenses.length === limit || page.next === undefined) return page;
    }
    const keys = few ?? (await findLicensesInRange(table, productId, filter, start, maxRows));
    if (keys) return licensesByKeys(table, productId, keys, filter, start, limit, maxRows);
  }
  if (isFilteredByRow(filter) || hasRange(filter)) return walkRows(table, productId, filter, start, limit, maxRows);
  if (!isFilteredByIndex(filter)) return walkLicenses(table, productId, filter, start, limit, maxRows);
  const page = await walkLicenses(table, productId, filter, start, limit, Math.min(ROWS_TRIED * (limit + 1), maxRows));
  if (page.end !== 'budget' || page.rowsRead >= maxRows) return page;
  const missing = limit - page.licenses.length;
  const rest = await searchLicenses(table, productId, filter, { ...start, past: page.next ?? 0 }, missing, maxRows - page.rowsRead);
  return { ...rest, licenses: [...page.licenses, ...rest.licenses], unreadable: page.unreadable + rest.unreadable };
}

/** If a range of expiries has at most this number of licenses, they are always sorted in memory. */
const FEW = 1_000;
/**
 * Number of rows of the list that are read for each license of a page before the service assumes that few licenses match the filter. A
 * range of expiries is then sorted in memory, and DynamoDB filters a list by status or license type.
 */
const ROWS_TRIED = 10;

/** Number of licenses that are read in one step through the list, and maximum number of steps in one call. */
const WALK = 500;
const WALKS = 20;

/** Reads the list until the rows of `limit` licenses match the filter, or until the maximum number of rows was read. */
export async function walkRows(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  { order, past }: Start,
  limit: number,
  maxRows: number,
): Promise<LicensePage> {
  const licenses: LicenseWithDevices[] = [];
  let unreadable = 0;
  let rowsRead = 0;
  let scanned = past;
  for (let walk = 0; walk < WALKS && rowsRead < maxRows; walk += 1) {
    // The first step reads only as many licenses as the page needs, because all of them may match.
    const page = await walkLicenses(
      table,
      productId,
      filter,
      { order, past: scanned },
      walk === 0 ? Math.min(limit + 1, WALK) : WALK,
      maxRows - rowsRead,
    );
    licenses.push(...page.licenses);
    unreadable += page.unreadable;
    rowsRead += page.rowsRead;
    if (licenses.length > limit) {
      const shown = licenses.slice(0, limit);
      return { licenses: shown, unreadable, next: shown.at(-1)?.license.id ?? past };
    }
    if (page.next === undefined) return { licenses, unreadable };
    scanned = page.next;
  }
  return { licenses, unreadable, next: scanned };
}

/** The keys of the licenses of the order in the filter; undefined if the filter has no order. */
export async function findLicensesOfOrder(table: Table, productId: number, { order }: LicenseFilter): Promise<string[] | undefined> {
  if (order === undefined) return undefined;
  const rows = await licensesOfOrder(table, order, productId);
  return rows.flatMap(({ pk }) => {
    const prefix = licenseKey(productId, '').pk;
    return pk.startsWith(prefix) ? [pk.slice(prefix.length)] : [];
  });
}

/** Sorts license keys by the ids of their licenses. */
async function inOrder(table: Table, productId: number, keys: readonly string[], { order }: Start): Promise<string[]> {
  const rows = await getItems(
    table,
    keys.map((key) => licenseKey(productId, key)),
  );
  const direction = order === 'asc' ? 1 : -1;
  return keys
    .map((key, place) => ({ key, id: Number(rows[place]?.['id'] ?? 0) }))
    .sort((a, b) => direction * (a.id - b.id))
    .map(({ key }) => key);
}

/**
 * The keys of the licenses from `start` on that expire within the filter's range, sorted by id. Undefined if there are more than `maxRows`
 * such licenses.
 */
async function findLicensesInRange(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  start: Start,
  maxRows: number,
): Promise<string[] | undefined> {
  const found: { readonly id: number; readonly key: string }[] = [];
  for await (const page of licensesByExpiry(table, productId, filter, { order: 'asc', limit: maxRows + 1 })) {
    found.push(...page);
    if (found.length > maxRows) return undefined;
  }
  const direction = start.order === 'asc' ? 1 : -1;
  return found
    .filter(({ id }) => isPast(id, start))
    .sort((a, b) => direction * (a.id - b.id))
    .map(({ key }) => key);
}

/** Reads the licenses with the given keys and returns the licenses that match the filter. The keys must be in the order of the list. */
async function licensesByKeys(
  table: Table,
  productId: number,
  keys: readonly string[],
  filter: LicenseFilter,
  start: Start,
  limit: number,
  maxRows: number,
): Promise<LicensePage> {
  const licenses: LicenseWithDevices[] = [];
  let devices = 0;
  let unreadable = 0;
  for (const batch of chunks(keys, BATCH_SIZE)) {
    for (const key of await matchingKeys(table, productId, batch, filter)) {
      try {
        const record = await getLicenseWithDevices(table, { productId, key });
        if (!record || !isPast(record.license.id, start) || !matches(record.license, filter) || !devicesMatch(record, filter)) continue;
        if (licenses.length === limit || devices >= maxRows) return { licenses, unreadable, ...nextAfter(licenses) };
        licenses.push(record);
        devices += record.devices.length;
      } catch (error) {
        if (!(error instanceof UnreadableRow)) throw error;
        unreadable += 1;
      }
    }
  }
  return { licenses, unreadable };
}

/**
 * Selects the keys whose licenses may match the filter. All rows of licenses are read at once, but reading the devices takes one more read
 * for each license. A reseller has thousands of licenses, so the devices are read only for licenses that may match.
 */
async function matchingKeys(table: Table, productId: number, keys: readonly string[], filter: LicenseFilter): Promise<readonly string[]> {
  if (keys.length === 1 || !isFiltered(filter)) return keys;
  const { entities } = await readLicenses(table, productId, keys);
  return entities.filter(({ license }) => matches(license, filter)).map(({ key }) => key);
}

/** Reads the licenses with the given keys, without their devices. Keys that no license has any more are left out. */
async function readLicenses(
  table: Table,
  productId: number,
  keys: readonly string[],
): Promise<Readable<{ readonly key: string; readonly license: License }>> {
  const rows = await getItems(
    table,
    keys.map((key) => licenseKey(productId, key)),
  );
  return readRows(
    keys.flatMap((key, index) => {
      const row = rows[index];
      return row && !isDeadKey(row) ? [{ key, row }] : [];
    }),
    ({ key, row }) => ({ key, license: toLicense(row) }),
  );
}

const nextAfter = (licenses: readonly LicenseWithDevices[]): { next?: number } => {
  const last = licenses.at(-1);
  return last ? { next: last.license.id } : {};
};

/** The key condition for the part of an index that follows a license and all its devices, in the given order. */
function keysPast(
  name: string,
  partition: string,
  { order, past }: Start,
): Pick<Query, 'KeyConditionExpression' | 'ExpressionAttributeValues' | 'ScanIndexForward'> {
  const bound = order === 'asc' ? `${name}_sk > :past` : `${name}_sk < :past`;
  const whole = order === 'desc' && past === 0;
  return {
    ScanIndexForward: order === 'asc',
    KeyConditionExpression: `${name}_pk = :partition${whole ? '' : ` AND ${bound}`}`,
    ExpressionAttributeValues: {
      ':partition': partition,
      ...(!whole && { ':past': order === 'asc' ? behindLicense(past) : listPosition(past) }),
    },
  };
}

interface Candidate {
  readonly id: number;
  readonly key: { pk: string; sk: string };
  readonly devices: Device[];
}

/** Why a walk has ended: the list has no more licenses, the page is full, or the maximum number of rows was read. */
type WalkEnd = 'list' | 'limit' | 'budget';

/** Lists licenses from the index, which contains their order and their devices. The fields of each license are read from the table. */
export async function walkLicenses(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  start: Start,
  limit: number,
  maxRows: number,
  maxDevices = MAX_LISTED_DEVICES,
): Promise<LicensePage & { readonly rowsRead: number; readonly end: WalkEnd }> {
  const found: Candidate[] = [];
  // The devices of a license come after it in ascending order, and before it in descending order.
  const backwards = start.order === 'desc';
  let devices: Device[] = [];
  let current: Candidate | undefined;
  let scanned = start.past;
  let rowsRead = 0;
  let end: WalkEnd = 'list';

  // Without a filter by the index, the first page usually contains enough licenses, so the following pages do not grow.
  const rows = 2 * limit + 50;
  const query = { IndexName: 'list', ...keysPast('list', licenseList(productId), start) };
  scan: for await (const page of queryPages(table, isFilteredByIndex(filter) ? query : { ...query, Limit: rows }, rows)) {
    for (const item of page) {
      if ((item['sk'] as string).startsWith(DEVICE_PREFIX)) {
        const device = toDevice(item);
        // Devices that a reset has freed have a lower epoch. They must not use up `maxDevices`, so they are dropped when a device with a
        // higher epoch is found.
        const { epoch = device.epoch } = devices[0] ?? {};
        if (device.epoch > epoch) devices.length = 0;
        if (device.epoch >= epoch && devices.length < maxDevices) devices.push(device);
        continue;
      }
      const id = Number(item['list_sk']);
      if (!backwards) devices = [];
      current = undefined;
      const wanted =
        (filter.status === undefined || item['status'] === filter.status) &&
        (filter.license_type_id === undefined || item['license_type_id'] === filter.license_type_id);
      if (wanted) {
        if (found.length === limit) {
          end = 'limit';
          break scan;
        }
        current = { id, key: { pk: item['pk'] as string, sk: item['sk'] as string }, devices };
        found.push(current);
      }
      if (backwards) devices = [];
      scanned = id;
    }
    rowsRead += page.length;
    // In ascending order, the devices of a license follow the license. If the page has only one license, all its devices are read, even
    // beyond the maximum number of rows. If the license were left to the next page, the list would make no progress.
    if (rowsRead >= maxRows && scanned !== start.past && (backwards || !current || found.length > 1)) {
      end = 'budget';
      break;
    }
  }

  // In ascending order, some devices of the last license may not have been read when the scan stopped, so the next page contains this
  // license.
  if (end === 'budget' && !backwards && current) {
    found.pop();
    scanned = found.at(-1)?.id ?? start.past;
  }

  const { licenses, unreadable } = await readFound(table, found, filter);
  return { licenses, unreadable, rowsRead, end, ...(end !== 'list' && { next: scanned }) };
}

/**
 * Lists licenses with a status or license type that few licenses have. DynamoDB leaves out all other rows, including those of devices, so
 * that the function need not read them. The devices of each license that is found cost a query.
 */
async function searchLicenses(
  table: Table,
  productId: number,
  { status, license_type_id }: LicenseFilter,
  start: Start,
  limit: number,
  maxRows: number,
): Promise<LicensePage> {
  const keyConditions = keysPast('list', licenseList(productId), start);
  const filter = { ...(status !== undefined && { status }), ...(license_type_id !== undefined && { license_type_id }) };
  const names = Object.keys(filter);
  const query = {
    ...keyConditions,
    IndexName: 'list',
    FilterExpression: names.map((name) => `#${name} = :${name}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...keyConditions.ExpressionAttributeValues,
      ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [`:${name}`, value])),
    },
  };
  const found: { readonly id: number; readonly key: string }[] = [];
  let rowsRead = 0;
  let next: number | undefined;
  for await (const page of readPages(table, query)) {
    found.push(...page.items.map(({ pk, list_sk }) => ({ id: Number(list_sk), key: keyIn(productId, pk as string) })));
    rowsRead += page.rowsRead;
    next = page.last && idBefore(page.last['list_sk'] as string, start);
    if (found.length > limit || rowsRead >= maxRows) break;
  }
  if (found.length > limit) next = found[limit - 1]?.id ?? start.past;
  const keys = found.slice(0, limit).map(({ key }) => key);
  return { next, ...(await licensesByKeys(table, productId, keys, { status, license_type_id }, start, limit, maxRows)) };
}

/** The license key in the partition key of a license of the product. */
const keyIn = (productId: number, pk: string): string => pk.slice(licenseKey(productId, '').pk.length);

/** The id after which a list continues that was read up to a position in the index. */
function idBefore(position: string, { order }: Start): number {
  const [id = '', device] = position.split('#');
  // In descending order, the devices of a license come before the license, which was then not read.
  return Number(id) + (order === 'desc' && device !== undefined ? 1 : 0);
}

/** Reads the rows of the licenses that were found in the index. Licenses that no longer match the filter are left out. */
async function readFound(
  table: Table,
  found: readonly Candidate[],
  filter: LicenseFilter,
): Promise<Pick<LicensePage, 'licenses' | 'unreadable'>> {
  const rows = await getItems(
    table,
    found.map(({ key }) => key),
  );
  const pairs = found.flatMap(({ devices }, index) => {
    const row = rows[index];
    return row && !isDeadKey(row) ? [{ row, devices }] : [];
  });
  const { entities, unreadable } = readRows(pairs, ({ row, devices }) => ({ license: toLicense(row), devices }));
  const matching = entities.filter(({ license }) => matches(license, filter));
  const licenses = await withDetails(
    table,
    matching.map(({ license }) => license),
  );
  const complete = await withChecks(
    table,
    matching.map(({ devices }, index) => ({ license: licenses[index] as License, devices })),
  );
  return { licenses: complete.filter((record) => devicesMatch(record, filter)), unreadable };
}

/**
 * Completes devices with the fields that validations change, such as the lease and the day of last use. The index does not contain these
 * fields, so they are read from the table.
 */
async function withChecks(table: Table, records: readonly LicenseWithDevices[]): Promise<LicenseWithDevices[]> {
  const bound = records.map(({ license, devices }) => devices.filter((device) => boundDevice(license, device) !== undefined));
  const keys = records.flatMap(({ license }, place) => (bound[place] ?? []).map(({ fingerprint }) => deviceRowKey(license, fingerprint)));
  const items = (await getItems(table, keys))[Symbol.iterator]();
  return records.map(({ license }, place) => ({
    license,
    devices: (bound[place] ?? []).flatMap(() => {
      const item = items.next().value;
      return item ? [toDevice(item)] : [];
    }),
  }));
}

/** Lists up to `limit` licenses of a buyer from `start` on, without their devices. */
export async function listWithoutDevices(
  table: Table,
  productId: number,
  email: string,
  start: Start,
  limit: number,
): Promise<{ readonly licenses: readonly License[]; readonly unreadable: number; readonly next?: number }> {
  const keys = await findLicensesByEmail(table, productId, email, start);
  const licenses: License[] = [];
  let unreadable = 0;
  for (const batch of chunks(keys, Math.min(limit + 1, BATCH_SIZE))) {
    const page = await readLicenses(table, productId, batch);
    unreadable += page.unreadable;
    for (const { license } of page.entities) {
      if (!matches(license, { customer_email: email })) continue;
      if (licenses.length === limit) return { licenses, unreadable, next: licenses.at(-1)?.id ?? start.past };
      licenses.push(license);
    }
  }
  return { licenses, unreadable };
}

/**
 * The keys of a product's licenses with a buyer's e-mail address, beginning at `start`.
 *
 * @param partitionOf returns the partition of the index for an address
 */
export async function findLicensesByEmail(
  table: Table,
  productId: number,
  email: string,
  start: Start,
  partitionOf = emailList,
): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of queryPages(table, { IndexName: 'email', ...keysPast('email', partitionOf(productId, email), start) })) {
    for (const item of page) keys.push(keyIn(productId, item['pk'] as string));
  }
  return keys;
}
