import { fail, isFailure } from '../contract/errors';
import { listLicenseEvents } from '../contract/webhooks';
import { deliveryView } from '../domain/delivery';
import { cursorText, pageLimit, pageOf } from '../runtime/paging';
import { serve } from '../runtime/serve';
import * as events from '../store/events';
import { findLicense } from '../store/licenses';
import { getProduct } from '../store/products';

export const handler = serve(listLicenseEvents, async ({ params, query, app }) => {
  const before = cursorText(query.cursor, /^[0-9a-f]{22}$/);
  if (isFailure(before)) return before;
  const license = await findLicense(app.table, params.id);
  if (!license) return fail('not_found', 'There is no such license');
  const [product, { deliveries, next }] = await Promise.all([
    getProduct(app.table, license.productId),
    events.listLicenseEvents(app.table, params.id, before, pageLimit(query.limit)),
  ]);
  return pageOf(deliveries, next, events.historyPosition, (delivery) => deliveryView(delivery, product?.webhook_url ?? ''));
});
