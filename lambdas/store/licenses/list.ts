import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { LicenseStatus } from '../../contract/statuses';
import { comparableEmail } from '../../domain/email';
import { boundDevice, isFull, type Device, type License } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import { dateOf } from '../../domain/time';
import { behindLicense, DEVICE_PREFIX, emailList, licenseKey, licenseList, listPosition } from '../keys';
import { readRows, UnreadableRow } from '../row';
import { BATCH_SIZE, getItems, queryPages, type Table } from '../table';
import { getLicenseWithDevices, MAX_LISTED_DEVICES, MAX_ROWS, type LicenseWithDevices } from './read';
import { withDetails } from './details';
import { hasRange, isInRange, licensesByExpiry, type ExpiryRange } from './expiry';
import { licensesOfOrder } from './of-order';
import { deviceRowKey, isDeadKey, toDevice, toLicense } from './rows';
import { chunks } from '../chunks';

/** What a list is narrowed to; all that is given must hold. */
export interface LicenseFilter extends ExpiryRange {
  readonly status?: LicenseStatus | undefined;
  readonly license_type_id?: number | undefined;
  /** Half-open range of when it was issued, epoch ms. */
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
  /** No further device fits, or none holds a seat. */
  readonly seats?: 'full' | 'unused' | undefined;
  /** In any case. */
  readonly customer_email?: string | undefined;
  /** As `lookupKey` makes it. */
  readonly key?: string | undefined;
  /** Only licenses whose term waits for the first activation. */
  readonly starts?: 'pending' | undefined;
  /** A UTC day: only licenses that have devices, all of them last seen before it. */
  readonly unseen_since?: string | undefined;
  /** Any id of the order of a payment processor. Orders lead to their licenses: a license's row doesn't hold all of them. */
  readonly order?: string | undefined;
  /** True: only licenses that never expire. */
  readonly never_expires?: boolean;
}

export interface LicensePage {
  readonly licenses: readonly LicenseWithDevices[];
  /** How many rows this version cannot read: they are not among the licenses. */
  readonly unreadable: number;
  /** The id after which the next page starts, if there may be one. */
  readonly next?: number;
}

export const matches = (license: License, filter: LicenseFilter): boolean =>
  matchesFields(license, filter) &&
  isInRange(license, filter) &&
  matchesSeats(license, filter) &&
  (!filter.never_expires || license.expires_at === null) &&
  (filter.starts === undefined || license.term !== null) &&
  (filter.unseen_since === undefined || license.seats_used > 0);

/** Whether the devices of a license that {@link matches} match as well. */
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

/** Whether the index of the list has what is filtered by. */
const isFilteredByIndex = ({ status, license_type_id }: LicenseFilter): boolean => status !== undefined || license_type_id !== undefined;
/** Whether something is filtered by that a license's own row alone has. */
const isFilteredByRow = ({ seats, starts, unseen_since, created_after, created_before, never_expires }: LicenseFilter): boolean =>
  seats !== undefined ||
  starts !== undefined ||
  unseen_since !== undefined ||
  created_after !== undefined ||
  created_before !== undefined ||
  never_expires === true;
/** Whether some licenses of a list of all, or of those in a range of expiry, may be left out. */
export const isFiltered = (filter: LicenseFilter): boolean => isFilteredByIndex(filter) || isFilteredByRow(filter);

/** Where a page starts: past a license's id, in ascending or descending order of ids; 0 is the list's beginning. */
export interface Start {
  readonly order: 'asc' | 'desc';
  readonly past: number;
}

const isPast = (id: number, { order, past }: Start): boolean => past === 0 || (order === 'asc' ? id > past : id < past);

/**
 * Up to `limit` licenses of a product from `start` on in the order of their ids, with their devices. A key, an e-mail
 * or a range of expiry is looked up; all else walks through the list.
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
  const keys = hasRange(filter) ? await findLicensesInRange(table, productId, filter, start, maxRows) : undefined;
  if (keys) return licensesByKeys(table, productId, keys, filter, start, limit, maxRows);
  return isFilteredByRow(filter)
    ? walkRows(table, productId, filter, start, limit, maxRows)
    : walkLicenses(table, productId, filter, start, limit, maxRows);
}

/** Licenses looked at in one walk through the list, and walks of one call. */
const WALK = 500;
const WALKS = 20;

/** Reads the list until `limit` licenses match by the fields of their own rows, or the maximum number of rows was read. */
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
    // The first may be all that is needed.
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

/** The keys of the licenses of the filter's order; undefined when it names none. An order has few licenses. */
export async function findLicensesOfOrder(table: Table, productId: number, { order }: LicenseFilter): Promise<string[] | undefined> {
  if (order === undefined) return undefined;
  const rows = await licensesOfOrder(table, order, productId);
  return rows.flatMap(({ pk }) => {
    const prefix = licenseKey(productId, '').pk;
    return pk.startsWith(prefix) ? [pk.slice(prefix.length)] : [];
  });
}

/** Keys in the order of their licenses' ids. */
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
 * The keys of the licenses that expire within the filter's range, from `start` on, in the order of their ids. Undefined
 * when more than `maxRows` do: to sort those takes longer than to walk through the list.
 */
async function findLicensesInRange(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  start: Start,
  maxRows: number,
): Promise<string[] | undefined> {
  const found: { readonly id: number; readonly key: string }[] = [];
  for await (const page of licensesByExpiry(table, productId, filter)) {
    found.push(...page);
    if (found.length > maxRows) return undefined;
  }
  const direction = start.order === 'asc' ? 1 : -1;
  return found
    .filter(({ id }) => isPast(id, start))
    .sort((a, b) => direction * (a.id - b.id))
    .map(({ key }) => key);
}

/** Those of the keys' licenses that match; the keys are in the order of the list. */
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

/** Those of many keys whose licenses may match, in one read: a reseller has thousands, and their devices take a read each. */
async function matchingKeys(table: Table, productId: number, keys: readonly string[], filter: LicenseFilter): Promise<readonly string[]> {
  if (keys.length === 1 || !isFiltered(filter)) return keys;
  const rows = await getItems(
    table,
    keys.map((key) => licenseKey(productId, key)),
  );
  const { entities } = readRows(
    keys.flatMap((key, index) => {
      const row = rows[index];
      return row && !isDeadKey(row) ? [{ key, row }] : [];
    }),
    ({ key, row }) => ({ key, license: toLicense(row) }),
  );
  return entities.filter(({ license }) => matches(license, filter)).map(({ key }) => key);
}

const nextAfter = (licenses: readonly LicenseWithDevices[]): { next?: number } => {
  const last = licenses.at(-1);
  return last ? { next: last.license.id } : {};
};

/** The part of an index after a license and all its devices. */
function keysPast(
  name: string,
  partition: string,
  { order, past }: Start,
): Pick<QueryCommandInput, 'KeyConditionExpression' | 'ExpressionAttributeValues' | 'ScanIndexForward'> {
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

/** The index gives the order and the devices; what is shown of a license is read from the table itself. */
export async function walkLicenses(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  start: Start,
  limit: number,
  maxRows: number,
  maxDevices = MAX_LISTED_DEVICES,
): Promise<LicensePage & { readonly rowsRead: number }> {
  const found: Candidate[] = [];
  // Ascending, a license's devices come after it; descending, before it.
  const backwards = start.order === 'desc';
  let devices: Device[] = [];
  let current: Candidate | undefined;
  let scanned = start.past;
  let rowsRead = 0;
  let end: 'list' | 'limit' | 'budget' = 'list';

  scan: for await (const page of queryPages(table, {
    IndexName: 'list',
    ...keysPast('list', licenseList(productId), start),
    ...(isFilteredByIndex(filter) ? {} : { Limit: 2 * limit + 50 }),
  })) {
    for (const item of page) {
      if ((item['sk'] as string).startsWith(DEVICE_PREFIX)) {
        const device = toDevice(item);
        // Those that a reset has freed must not crowd out those that came after it.
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
    // Ascending, the only license of a page is not left to the next one: it is read to its last device.
    if (rowsRead >= maxRows && scanned !== start.past && (backwards || !current || found.length > 1)) {
      end = 'budget';
      break;
    }
  }

  // Ascending, the last license's devices may not all have been read when the scan was cut: leave it to the next page.
  if (end === 'budget' && !backwards && current) {
    found.pop();
    scanned = found.at(-1)?.id ?? start.past;
  }

  const { licenses, unreadable } = await readFound(table, found, filter);
  return { licenses, unreadable, rowsRead, ...(end !== 'list' && { next: scanned }) };
}

/** The licenses of what an index found, read from the table itself; what no longer matches is left out. */
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

/** The index holds nothing that checks of a device change, such as its lease and the day it was seen: that is read from the table. */
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

/**
 * The keys of a product's licenses for a buyer's e-mail, from `start` on.
 *
 * @param partitionOf the partition of the index for an address
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
    for (const item of page) keys.push((item['pk'] as string).slice(licenseKey(productId, '').pk.length));
  }
  return keys;
}
