import { isFailure } from '../contract/errors';
import { endPreviousApiKey } from '../contract/product-credentials';
import { previousApiKey } from '../domain/product';
import { operator, serve } from '../runtime/http';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(endPreviousApiKey, operator, async ({ params, app, now }) => {
  /** The key that was current when the request arrived. If it is rotated in the meantime, it is the previous key, but must not end. */
  let current: string | undefined;
  const edited = await editProduct(app.table, params.id, ({ product }) => {
    current ??= product.api_key_hash;
    if (product.api_key_hash !== current) return { product, ended: false };
    return { product: { ...product, previous_api_key: null }, ended: previousApiKey(product, now) !== null };
  });
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : { ended: edited.ended };
});
