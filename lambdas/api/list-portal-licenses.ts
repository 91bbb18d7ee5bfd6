import { listPortalLicenses, MAX_PORTAL_LICENSES } from '../contract/portal';
import { portalLicenseView } from '../domain/portal/license';
import { pageOf } from '../runtime/http/paging';
import { servePortal } from '../runtime/http/serve-portal';
import { listLicenses } from '../store/licenses/list';

export const handler = servePortal(listPortalLicenses, async ({ app, portal, session, query, now }) => {
  const { licenses, next, unreadable } = await listLicenses(
    app.table,
    portal.product_id,
    { customer_email: session.address },
    { order: 'desc', past: Number(query.cursor ?? 0) },
    query.limit ?? MAX_PORTAL_LICENSES,
  );
  return pageOf(
    licenses,
    next,
    ({ license }) => license.id,
    ({ license, devices }) => portalLicenseView(license, devices, portal, now),
    unreadable,
  );
});
