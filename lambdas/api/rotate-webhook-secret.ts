import { isFailure } from '../contract/errors';
import { rotateWebhookSecret } from '../contract/product-credentials';
import * as domain from '../domain/product';
import { timestampOrNull } from '../domain/time';
import { operator, serve } from '../runtime/http';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(rotateWebhookSecret, operator, async ({ params, body, app, now, storeResponse }) => {
  const context = { seal: await app.secrets.sealer('webhook_secret'), random: app.random, now };
  const edited = await editProduct(
    app.table,
    params.id,
    (state) => {
      const { product, secret } = domain.rotateWebhookSecret(state.product, body.overlap_hours, context);
      return {
        product,
        view: { url: product.webhook_url, secret, previous_until: timestampOrNull(product.previous_webhook_secret?.until ?? null) },
      };
    },
    { storeResponse: ({ view }) => storeResponse(view) },
  );
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : edited.view;
});
