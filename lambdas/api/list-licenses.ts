import { fail } from '../contract/errors';
import { listLicenses } from '../contract/licenses';
import { lookupKey } from '../domain/license-key';
import { licenseView } from '../domain/views';
import { formatOf } from '../runtime/http/formats';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import * as licenses from '../store/licenses/list';
import { expiryCursor, listLicensesByExpiry, parseExpiryCursor } from '../store/licenses/list-by-expiry';
import type { LicenseWithDevices } from '../store/licenses/read';
import { getProduct } from '../store/products';

const view = ({ license, devices }: LicenseWithDevices) => licenseView(license, devices);

export const handler = serve(listLicenses, operator, async ({ params, query, app, event }) => {
  const { sort = 'id', direction = 'asc', cursor, limit, ...fields } = query;
  const past = cursor === undefined ? undefined : parseExpiryCursor(cursor);
  if (cursor !== undefined && (past !== undefined) !== (sort === 'expires_at'))
    return fail('invalid_request', 'cursor is not a cursor of this list');
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');

  const filter = { ...fields, key: fields.key === undefined ? undefined : (lookupKey(fields.key) ?? '') };
  const write = formatOf(listLicenses, event)?.row;
  if (sort === 'expires_at') {
    const page = await listLicensesByExpiry(app.table, params.id, filter, { order: direction, past }, pageLimit(limit));
    const next = page.next && expiryCursor(page.next);
    return pageOf(page.licenses, next, ({ license }) => expiryCursor(license), view, page.unreadable, write);
  }
  const page = await licenses.listLicenses(app.table, params.id, filter, { order: direction, past: Number(cursor ?? 0) }, pageLimit(limit));
  return pageOf(page.licenses, page.next, ({ license }) => license.id, view, page.unreadable, write);
});
