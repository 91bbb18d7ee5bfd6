import { fail, isFailure } from '../contract/errors';
import { listDeliveries } from '../contract/webhooks';
import { deliveryView } from '../domain/delivery';
import { cursorText, pageLimit, pageOf } from '../runtime/paging';
import { serve } from '../runtime/serve';
import * as events from '../store/events';
import { getProduct } from '../store/products';

export const handler = serve(listDeliveries, async ({ params, query, app }) => {
  const before = cursorText(query.cursor, /^\d{16}#[0-9a-f]{32}$/);
  if (isFailure(before)) return before;
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  const { deliveries, next } = await events.listDeliveries(app.table, params.id, query.status, before, pageLimit(query.limit));
  return pageOf(deliveries, next, events.logPosition, (delivery) => deliveryView(delivery, product.webhook_url));
});
