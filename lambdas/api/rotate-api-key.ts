import { isFailure } from '../contract/errors';
import { rotateApiKey } from '../contract/product-credentials';
import * as domain from '../domain/product';
import { operator, serve } from '../runtime/http';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';
import { apiKeyHint } from '../use-cases/product-secrets';

export const handler = serve(rotateApiKey, operator, async ({ params, body, app, now, storeResponse }) => {
  const context = { seal: await app.secrets.sealer('api_key'), random: app.random, now };
  const edited = await editProduct(
    app.table,
    params.id,
    async ({ product }) => {
      const hint = await apiKeyHint(app, product);
      const rotated = domain.rotateApiKey(product, hint, body.overlap_hours, context);
      return { ...rotated, view: domain.productView(rotated.product, rotated.apiKey) };
    },
    { storeResponse: ({ view }) => storeResponse(view) },
  );
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : edited.view;
});
