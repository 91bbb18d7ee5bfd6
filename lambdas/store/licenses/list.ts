import { lookupKey } from '../../domain/license-key';
import { getItems } from '../items';
import { scanPage } from '../scan';
import { licenseKey, licenseList } from '../keys';
import type { Table } from '../table';
import { findLicensesByEmail, type FoundLicense } from './by-email';
import { licensesByKeys } from './by-keys';
import { hasRange, licensesByExpiry } from './expiry';
import { devicesMatch, isFilteredByIndex, isFilteredByRow, matches, type LicenseFilter } from './filter';
import { findByBeginning, readFound } from './find';
import { findLicensesOfMember } from './of-member';
import { licensesOfOrder } from './of-order';
import { isPast, keyIn, keysPast, type LicensePage, type Start } from './page';
import { MAX_ROWS } from './read';
import { walkLicenses, walkRows } from './walk';

/**
 * Lists up to `limit` licenses of a product with their devices, sorted by id, beginning at `start`. If the filter has a search text, an
 * order, a key, a buyer, a member or a range of expiries, these licenses are looked up. Otherwise the whole list is read and filtered.
 */
export async function listLicenses(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  start: Start,
  limit: number,
  maxRows = MAX_ROWS,
): Promise<LicensePage> {
  const named = await findNamed(table, productId, filter, start);
  if (filter.q !== undefined) return listFound(table, productId, filter, filter.q, named, start, limit);
  if (named) return licensesByKeys(table, productId, named, filter, start, limit, maxRows);
  if (hasRange(filter)) {
    const few = await findLicensesInRange(table, productId, filter, start, Math.min(FEW, maxRows));
    if (!few) {
      // The range has many licenses, possibly most licenses of the product. Reading the list of all licenses may then fill the page with
      // fewer reads than reading the index of expiries.
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
  const rest = await findRareLicenses(table, productId, filter, { ...start, past: page.next ?? 0 }, missing, maxRows - page.rowsRead);
  return { ...rest, licenses: [...page.licenses, ...rest.licenses], unreadable: page.unreadable + rest.unreadable };
}

/** Lists the licenses that a search finds. @param named the keys to which the other filters limit the list; undefined: no limit */
async function listFound(
  table: Table,
  productId: number,
  filter: LicenseFilter,
  q: string,
  named: readonly string[] | undefined,
  start: Start,
  limit: number,
): Promise<LicensePage> {
  const keys = named && new Set(named);
  return readFound(table, await findByBeginning(table, q, productId), {
    start,
    limit,
    keep: (license) => matches(license, filter) && (keys === undefined || keys.has(lookupKey(license.key) ?? '')),
    keepWithDevices: (record) => devicesMatch(record, filter),
  });
}

/** If at most this number of licenses expire in the requested range, they are always sorted in memory. */
const FEW = 1_000;
/**
 * For each license that fits on the page, the service first reads this number of rows of the list. If the page is then not full, the
 * service assumes that few licenses match the filter. It then reads all licenses that expire in the requested range and sorts them in
 * memory, or lets DynamoDB filter the list by status or license type.
 */
const ROWS_TRIED = 10;

/**
 * The keys of the licenses that may have the filter's order, key, buyer and member, in the order of the list; undefined if the filter names
 * none of these.
 */
export async function findNamed(
  table: Table,
  productId: number,
  { order, key, customer_email, member }: LicenseFilter,
  start: Start,
): Promise<readonly string[] | undefined> {
  const found: (readonly string[])[] = [];
  if (order !== undefined) found.push(await inOrder(table, productId, await findLicensesOfOrder(table, productId, order), start));
  if (key !== undefined) found.push([key]);
  if (customer_email !== undefined) found.push(keysOf(await findLicensesByEmail(table, productId, customer_email, start)));
  if (member !== undefined) found.push(keysOf(await findLicensesOfMember(table, productId, member, start)));
  const [first, ...others] = found.map((keys) => new Set(keys));
  return first && [...first].filter((one) => others.every((keys) => keys.has(one)));
}

const keysOf = (licenses: readonly FoundLicense[]): string[] => licenses.map(({ key }) => key);

/** The keys of all licenses that were issued for an order. */
async function findLicensesOfOrder(table: Table, productId: number, order: string): Promise<string[]> {
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
 * The keys of the licenses that expire within the filter's range, sorted by id, beginning at `start`. Undefined if there are more than
 * `maxRows` such licenses.
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

/**
 * Lists licenses with a status or license type that few licenses have. DynamoDB filters out all other rows, including the rows of devices,
 * so they are not transferred. The devices of each license that is found need a separate query.
 */
async function findRareLicenses(
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
  const { entries: keys, last } = await scanPage(table, query, {
    keep: ({ pk }) => keyIn(productId, pk as string),
    limit: Math.max(limit, 1),
    budget: maxRows,
  });
  // If the page is already full, the scan only finds out whether another license follows.
  if (limit === 0 && keys.length > 0) return { licenses: [], unreadable: 0, next: start.past };
  const next = last && idBefore(last['list_sk'] as string, start);
  return { next, ...(await licensesByKeys(table, productId, keys, { status, license_type_id }, start, limit, maxRows)) };
}

/** The list was read up to a position in the index. Returns the license id after which the list continues. */
function idBefore(position: string, { order }: Start): number {
  const [id = '', device] = position.split('#');
  // In descending order, the devices of a license come before the license. If the position is that of a device, its license was therefore
  // not read yet.
  return Number(id) + (order === 'desc' && device !== undefined ? 1 : 0);
}
