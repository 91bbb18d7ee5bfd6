import { isFailure } from '../contract/errors';
import { deleteSigningKey } from '../contract/product-credentials';
import * as domain from '../domain/product';
import { serve } from '../runtime/http/serve';
import { changeProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(deleteSigningKey, async ({ params, app }) => {
  app.table.audit?.describe({ target: `signing_key/${params.kid}` });
  const change = await changeProduct(app.table, params.id, ({ product, seeds }) => domain.deleteSigningKey(product, seeds, params.kid), {
    withSeeds: true,
  });
  return isFailure(change) || change === RESPONSE_EXISTS ? change : domain.signingKeysView(change.product);
});
