import { fail } from '../contract/errors';
import { searchLicenses } from '../contract/licenses';
import { lookupKey } from '../domain/license-key';
import { licenseView } from '../domain/views';
import { Page, pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import * as search from '../store/licenses/search';

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
    if (q !== undefined) {
      if (wanted || cursor !== undefined) return fail('invalid_request', 'q can be combined only with limit');
      const { licenses, unreadable } = await search.findLicensesByBeginning(app.table, q, pageLimit(limit), actor.product_id);
      const found = pageOf(
        licenses,
        undefined,
        ({ license }) => license.id,
        ({ license, devices }) => licenseView(license, devices),
        unreadable,
      );
      // A search with `q` has only one page. If `pageOf` shortened the page because the response would be too large, the licenses that did
      // not fit are not returned.
      return new Page(found.rows, undefined, found.unreadable);
    }
    if (!wanted || more.length > 0)
      return fail('invalid_request', 'query must have exactly one of q, customer_email, member, key, order and fingerprint');

    const past = cursor === undefined ? undefined : search.parseSearchCursor(cursor);
    const { licenses, next, unreadable } = await search.searchLicenses(app.table, wanted, past, pageLimit(limit), actor.product_id);
    return pageOf(
      licenses,
      next && search.searchCursor(next),
      ({ license }) => search.searchCursor(license),
      ({ license, devices }) => licenseView(license, devices),
      unreadable,
    );
  },
);
