import { fail } from '../contract/errors';
import { listSigningKeys } from '../contract/product-credentials';
import { signingKeysView } from '../domain/product';
import { serve } from '../runtime/http/serve';
import { getProduct } from '../store/products';

export const handler = serve(listSigningKeys, async ({ params, app }) => {
  const product = await getProduct(app.table, params.id);
  return product ? signingKeysView(product) : fail('not_found', 'There is no such product');
});
