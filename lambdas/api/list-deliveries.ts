import { fail } from '../contract/errors';
import { listDeliveries } from '../contract/webhooks';
import { deliveryView } from '../domain/delivery';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import * as events from '../store/events/log';
import { completeBodies } from '../store/events/bodies';
import { getProduct } from '../store/products';

export const handler = serve(listDeliveries, operator, async ({ params, query, app }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  const { deliveries, unreadable, next } = await events.listDeliveries(app.table, params.id, query, query.cursor, pageLimit(query.limit));
  return pageOf(
    await completeBodies(app.table, deliveries),
    next,
    events.logPosition,
    (delivery) => deliveryView(delivery, product.webhook_url),
    unreadable,
  );
});
