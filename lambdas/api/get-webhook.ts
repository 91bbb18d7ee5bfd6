import { fail } from '../contract/errors';
import { getWebhook } from '../contract/webhooks';
import { webhookView } from '../domain/product';
import { serve } from '../runtime/http/serve';
import { getProduct } from '../store/products';

export const handler = serve(getWebhook, async ({ params, app }) => {
  const product = await getProduct(app.table, params.id);
  return product ? webhookView(product, await app.secrets.sealingKey()) : fail('not_found', 'There is no such product');
});
