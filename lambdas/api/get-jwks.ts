import { fail } from '../contract/errors';
import { getJwks } from '../contract/products';
import { signingKeysInOrder } from '../domain/product';
import { publicJwk } from '../domain/signing-key';
import { anyone, serve } from '../runtime/http';
import { getProduct } from '../store/products';

export const handler = serve(getJwks, anyone, async ({ params, app }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  return { keys: signingKeysInOrder(product).map(({ public_key }) => publicJwk(public_key)) };
});
