import { fail } from '../contract/errors';
import { setWebhook } from '../contract/webhooks';
import { serve } from '../runtime/http/serve';
import { webhookHostProblem, webhookUrlProblem } from '../runtime/webhooks/url';
import * as products from '../store/products';
import { showWebhook } from '../use-cases/product-secrets';

export const handler = serve(setWebhook, async ({ params, body: { url, events }, app }) => {
  const { webhookAllowPrivate } = app.config;
  const problem = url === '' ? undefined : (webhookUrlProblem(url, webhookAllowPrivate) ?? (await webhookHostProblem(url, webhookAllowPrivate)));
  if (problem) return problem;
  const product = await products.setWebhook(app.table, params.id, url, events);
  return product ? showWebhook(app, product) : fail('not_found', 'There is no such product');
});
