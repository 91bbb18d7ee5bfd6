import { isFailure } from '../contract/errors';
import { setWebhook } from '../contract/webhooks';
import { serve } from '../runtime/http/serve';
import { webhookHostProblem, webhookUrlProblem } from '../runtime/webhooks/url';
import { changeProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';
import { showWebhook } from '../use-cases/product-secrets';

export const handler = serve(setWebhook, async ({ params, body: { url, events }, app }) => {
  const { webhookAllowPrivate } = app.config;
  const problem =
    url === '' ? undefined : (webhookUrlProblem(url, webhookAllowPrivate) ?? (await webhookHostProblem(url, webhookAllowPrivate)));
  if (problem) return problem;
  const change = await changeProduct(app.table, params.id, ({ product }) => ({
    product: { ...product, webhook_url: url, webhook_events: events === undefined ? product.webhook_events : events },
  }));
  return isFailure(change) || change === RESPONSE_EXISTS ? change : showWebhook(app, change.product);
});
