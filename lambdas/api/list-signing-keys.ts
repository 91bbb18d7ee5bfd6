import { fail } from '../contract/errors';
import { listSigningKeys } from '../contract/product-credentials';
import { signingKeysView } from '../domain/product';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';

export const handler = serve(listSigningKeys, operator, async ({ params, app }) => {
  const product = await getProduct(app.table, params.id);
  return product ? signingKeysView(product) : fail('not_found', 'There is no such product');
});
