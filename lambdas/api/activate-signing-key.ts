import { isFailure } from '../contract/errors';
import { activateSigningKey } from '../contract/product-credentials';
import * as domain from '../domain/product';
import { operator, serve } from '../runtime/http';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(activateSigningKey, operator, async ({ params, app }) => {
  app.table.audit?.describe({ target: `signing_key/${params.kid}` });
  const edited = await editProduct(app.table, params.id, (state) => {
    const product = domain.activateSigningKey(state.product, params.kid);
    return isFailure(product) ? product : { product };
  });
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : domain.signingKeysView(edited.product);
});
