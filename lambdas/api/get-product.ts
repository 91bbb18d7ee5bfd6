import { fail } from '../contract/errors';
import { getProduct } from '../contract/products';
import { productView } from '../domain/product';
import { serve } from '../runtime/http/serve';
import * as products from '../store/products';

export const handler = serve(getProduct, async ({ params, app }) => {
  const product = await products.getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  return productView(product, await app.secrets.sealingKey());
});
