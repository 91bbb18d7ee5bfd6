import { fail } from '../contract/errors';
import { listPortalLicenses, MAX_PORTAL_LICENSES } from '../contract/portal';
import { devicesWithRefs } from '../domain/activation';
import type { License } from '../domain/license';
import { meterView, readAllMeters } from '../domain/meters';
import { portalLicenseView } from '../domain/portal/license-view';
import { pageOf } from '../runtime/http/paging';
import { buyer, serve } from '../runtime/http';
import { listOfPerson } from '../store/licenses/of-person';
import { readMetersOf } from '../store/meters';
import { getProduct } from '../store/products';

export const handler = serve(listPortalLicenses, buyer, async ({ app, portal, session, query, now }) => {
  const [{ licenses, next, unreadable }, product] = await Promise.all([
    listOfPerson(app.table, session, { order: 'desc', past: Number(query.cursor ?? 0) }, query.limit ?? MAX_PORTAL_LICENSES, 'everything'),
    getProduct(app.table, portal.product_id),
  ]);
  if (!product) return fail('not_found', 'There is no such page');
  const [key, states] = await Promise.all([
    app.secrets.portalKey(),
    readMetersOf(
      app.table,
      licenses.map(({ license }) => license),
    ),
  ]);
  const metersOf = (license: License) =>
    readAllMeters(license, states.get(license.id), now).map((reading) => meterView(reading, reading.used));
  return pageOf(
    licenses,
    next,
    ({ license }) => license.id,
    ({ license, access, devices }) =>
      portalLicenseView(license, access, devicesWithRefs(key, license, devices), metersOf(license), portal, product, now),
    unreadable,
  );
});
