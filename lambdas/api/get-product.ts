import { fail } from '../contract/errors';
import { getProduct } from '../contract/products';
import { operator, serve } from '../runtime/http';
import * as products from '../store/products';
import { showProduct } from '../use-cases/product-secrets';

export const handler = serve(getProduct, operator, async ({ params, app }) => {
  const product = await products.getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  return showProduct(app, product);
});
