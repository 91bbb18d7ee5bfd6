import { fail } from '../contract/errors';
import { MANAGER } from '../contract/license-columns';
import { listLicenses } from '../contract/licenses';
import { hasMembers, type License } from '../domain/license';
import { lookupKey } from '../domain/license-key';
import { meterView, readAllMeters } from '../domain/meters';
import { licenseView } from '../domain/views';
import { formatOf } from '../runtime/http/formats';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import { chunks } from '../store/chunks';
import * as licenses from '../store/licenses/list';
import { expiryCursor, listLicensesByExpiry, parseExpiryCursor } from '../store/licenses/list-by-expiry';
import type { LicenseWithDevices } from '../store/licenses/read';
import { readMembers } from '../store/members';
import { readMetersOf } from '../store/meters';
import { getProduct } from '../store/products';
import type { Table } from '../store/table';

/** Maximum number of rows of a page that shows meters or members: their rows are read in addition. */
const MAX_ROWS_INCLUDED = 100;

export const handler = serve(listLicenses, operator, async ({ params, query, app, event, now }) => {
  const { sort = 'id', direction = 'asc', cursor, limit: wanted, include, ...fields } = query;
  const past = cursor === undefined ? undefined : parseExpiryCursor(cursor);
  if (cursor !== undefined && (past !== undefined) !== (sort === 'expires_at'))
    return fail('invalid_request', 'cursor is not a cursor of this list');
  if (fields.q !== undefined && sort === 'expires_at') return fail('invalid_request', 'q cannot be combined with sort=expires_at');
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');

  const filter = { ...fields, key: fields.key === undefined ? undefined : (lookupKey(fields.key) ?? '') };
  const format = formatOf(listLicenses, event);
  const write = format?.row;
  const hasMeters = include === 'meters' && format?.contentType.startsWith('text/csv') === true;
  const showsMembers = include === 'members' && format !== undefined;
  const limit = hasMeters || showsMembers ? Math.min(pageLimit(wanted), MAX_ROWS_INCLUDED) : wanted;
  const viewsOf = async (licenses: readonly LicenseWithDevices[]) => {
    const all = licenses.map(({ license }) => license);
    const states = hasMeters ? await readMetersOf(app.table, all) : undefined;
    const lists = showsMembers ? await memberLists(app.table, all) : undefined;
    return ({ license, devices }: LicenseWithDevices) => ({
      ...licenseView(license, devices),
      ...(lists && { member_list: lists.get(license.id) ?? '' }),
      ...(states && { meters: readAllMeters(license, states.get(license.id), now).map((reading) => meterView(reading, reading.used)) }),
    });
  };
  if (sort === 'expires_at') {
    const page = await listLicensesByExpiry(app.table, params.id, filter, { order: direction, past }, pageLimit(limit));
    const next = page.next && expiryCursor(page.next);
    return pageOf(page.licenses, next, ({ license }) => expiryCursor(license), await viewsOf(page.licenses), page.unreadable, write);
  }
  const page = await licenses.listLicenses(app.table, params.id, filter, { order: direction, past: Number(cursor ?? 0) }, pageLimit(limit));
  return pageOf(page.licenses, page.next, ({ license }) => license.id, await viewsOf(page.licenses), page.unreadable, write);
});

/** Number of licenses whose members are read at the same time. */
const TOGETHER = 10;

/** The column `member_list` of each license of named people. */
async function memberLists(table: Table, licenses: readonly License[]): Promise<ReadonlyMap<number, string>> {
  const lists = new Map<number, string>();
  for (const batch of chunks(licenses.filter(hasMembers), TOGETHER))
    await Promise.all(
      batch.map(async ({ id }) => {
        const members = await readMembers(table, id);
        lists.set(id, members.map(({ email, role }) => (role === 'manager' ? `${email}${MANAGER}` : email)).join(' '));
      }),
    );
  return lists;
}
