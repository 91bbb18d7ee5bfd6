import { fail } from '../contract/errors';
import { getJwks } from '../contract/products';
import { signingKeysInOrder } from '../domain/product';
import { publicJwk } from '../domain/signing-key';
import { serve } from '../runtime/http/serve';
import { getProduct } from '../store/products';

export const handler = serve(getJwks, async ({ params, app }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  return { keys: signingKeysInOrder(product).map(({ public_key }) => publicJwk(public_key)) };
});
