import { isFailure } from '../contract/errors';
import { updateProduct } from '../contract/products';
import { serve } from '../runtime/http/serve';
import { changeProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';
import { showProduct } from '../use-cases/product-secrets';

export const handler = serve(updateProduct, async ({ params, body, app }) => {
  const change = await changeProduct(app.table, params.id, ({ product }) => ({ product: { ...product, name: body.name ?? product.name } }));
  return isFailure(change) || change === RESPONSE_EXISTS ? change : showProduct(app, change.product);
});
