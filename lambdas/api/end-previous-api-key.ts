import { isFailure } from '../contract/errors';
import { endPreviousApiKey } from '../contract/product-credentials';
import { previousApiKey } from '../domain/product';
import { operator, serve } from '../runtime/http';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(endPreviousApiKey, operator, async ({ params, app, now }) => {
  const edited = await editProduct(app.table, params.id, ({ product }) => ({
    product: { ...product, previous_api_key: null },
    ended: previousApiKey(product, now) !== null,
  }));
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : { ended: edited.ended };
});
