import { fail } from '../contract/errors';
import { getPreviousApiKey } from '../contract/product-credentials';
import { previousApiKey } from '../domain/product';
import { timestampOrNull } from '../domain/time';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';

export const handler = serve(getPreviousApiKey, operator, async ({ params, app, now }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  const previous = previousApiKey(product, now);
  return { hint: previous?.hint ?? null, valid_until: timestampOrNull(previous?.until ?? null) };
});
