import { fail } from '../contract/errors';
import { getWebhook } from '../contract/webhooks';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';
import { showWebhook } from '../use-cases/product-secrets';

export const handler = serve(getWebhook, operator, async ({ params, app }) => {
  const product = await getProduct(app.table, params.id);
  return product ? showWebhook(app, product) : fail('not_found', 'There is no such product');
});
