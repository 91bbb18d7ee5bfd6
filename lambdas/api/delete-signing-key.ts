import { isFailure } from '../contract/errors';
import { deleteSigningKey } from '../contract/product-credentials';
import * as domain from '../domain/product';
import { operator, serve } from '../runtime/http';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(deleteSigningKey, operator, async ({ params, app }) => {
  app.table.audit?.describe({ target: `signing_key/${params.kid}` });
  const edited = await editProduct(app.table, params.id, ({ product, seeds }) => domain.deleteSigningKey(product, seeds, params.kid), {
    withSeeds: true,
  });
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : domain.signingKeysView(edited.product);
});
