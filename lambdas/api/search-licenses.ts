import { fail } from '../contract/errors';
import { searchLicenses } from '../contract/licenses';
import { lookupKey } from '../domain/license-key';
import { licenseView } from '../domain/views';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import { findByBeginning, readFound } from '../store/licenses/find';
import type { LicenseWithDevices } from '../store/licenses/read';
import * as search from '../store/licenses/search';

/** Maximum number of licenses on a page of the search with `q`. */
const MAX_FOUND = 50;

export const handler = serve(
  searchLicenses,
  operator,
  async ({ query: { q, customer_email, member, key, order, fingerprint, cursor, limit }, app, actor }) => {
    const [wanted, ...more] = [
      ...(customer_email === undefined ? [] : [{ by: 'customer_email', email: customer_email } as const]),
      ...(member === undefined ? [] : [{ by: 'member', email: member } as const]),
      ...(key === undefined ? [] : [{ by: 'key', key: lookupKey(key) } as const]),
      ...(order === undefined ? [] : [{ by: 'order', order } as const]),
      ...(fingerprint === undefined ? [] : [{ by: 'fingerprint', fingerprint } as const]),
    ];
    const past = cursor === undefined ? undefined : search.parseSearchCursor(cursor);
    const view = ({ license, devices }: LicenseWithDevices) => licenseView(license, devices);
    if (q !== undefined) {
      if (wanted) return fail('invalid_request', 'q can be combined only with limit and cursor');
      const { licenses, next, unreadable } = await readFound(app.table, await findByBeginning(app.table, q, actor.product_id), {
        start: { order: 'desc', past: past?.id ?? 0 },
        limit: Math.min(pageLimit(limit), MAX_FOUND),
      });
      const cursorAt = (id: number): string => search.searchCursor({ created_at: 0, id });
      return pageOf(licenses, next && cursorAt(next), ({ license }) => cursorAt(license.id), view, unreadable);
    }
    if (!wanted || more.length > 0)
      return fail('invalid_request', 'query must have exactly one of q, customer_email, member, key, order and fingerprint');
    const { licenses, next, unreadable } = await search.searchLicenses(app.table, wanted, past, pageLimit(limit), actor.product_id);
    return pageOf(licenses, next && search.searchCursor(next), ({ license }) => search.searchCursor(license), view, unreadable);
  },
);
