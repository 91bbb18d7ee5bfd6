import { fail } from '../contract/errors';
import { testWebhook } from '../contract/webhooks';
import { deliveryView } from '../domain/delivery';
import { EVENT_RANDOM_BYTES, testEvent } from '../domain/event';
import { announce } from '../use-cases/announce';
import { operator, serve } from '../runtime/http';
import { createEvent } from '../store/events/record';
import { getProduct } from '../store/products';

export const handler = serve(testWebhook, operator, async ({ params, app, now }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  if (product.webhook_url === '') return fail('invalid_request', 'The product has no webhook URL to test');
  const event = testEvent(product, now, app.random(EVENT_RANDOM_BYTES));
  await createEvent(app.table, event);
  await announce(app, [event]);
  return deliveryView(event, product.webhook_url);
});
