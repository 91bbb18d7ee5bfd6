import type { DeliveryView } from '../contract/webhooks';
import { deliveryView, type Delivery } from '../domain/delivery';
import { completeBody } from '../store/events/bodies';
import { getProduct } from '../store/products';
import type { App } from '../runtime/app';

/** The view of an event in the delivery log, with the current webhook URL of its product. */
export async function showDelivery(app: App, delivery: Delivery): Promise<DeliveryView> {
  const product = await getProduct(app.table, delivery.product_id);
  return deliveryView(await completeBody(app.table, delivery), product?.webhook_url ?? '');
}
