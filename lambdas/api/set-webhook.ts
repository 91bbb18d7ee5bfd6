import { isFailure } from '../contract/errors';
import { setWebhook } from '../contract/webhooks';
import { operator, serve } from '../runtime/http';
import { webhookHostProblem, webhookUrlProblem } from '../runtime/webhooks/url';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';
import { showWebhook } from '../use-cases/product-secrets';

export const handler = serve(setWebhook, operator, async ({ params, body: { url, events }, app }) => {
  const { webhookAllowPrivate } = app.config;
  const problem =
    url === '' ? undefined : (webhookUrlProblem(url, webhookAllowPrivate) ?? (await webhookHostProblem(url, webhookAllowPrivate)));
  if (problem) return problem;
  const edited = await editProduct(app.table, params.id, ({ product }) => ({
    product: { ...product, webhook_url: url, webhook_events: events === undefined ? product.webhook_events : events },
  }));
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : showWebhook(app, edited.product);
});
