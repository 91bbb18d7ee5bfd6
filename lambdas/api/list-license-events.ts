import { fail } from '../contract/errors';
import { listLicenseEvents } from '../contract/webhooks';
import { deliveryView } from '../domain/delivery';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import * as events from '../store/events/log';
import { findLicense } from '../store/licenses/read';
import { completeBodies } from '../store/events/bodies';
import { getProduct } from '../store/products';

export const handler = serve(listLicenseEvents, operator, async ({ params, query, app }) => {
  const license = await findLicense(app.table, params.id);
  if (!license) return fail('not_found', 'There is no such license');
  const [product, { deliveries, unreadable, next }] = await Promise.all([
    getProduct(app.table, license.productId),
    events.listLicenseEvents(app.table, params.id, query.cursor, pageLimit(query.limit)),
  ]);
  return pageOf(
    await completeBodies(app.table, deliveries),
    next,
    events.historyPosition,
    (delivery) => deliveryView(delivery, product?.webhook_url ?? ''),
    unreadable,
  );
});
