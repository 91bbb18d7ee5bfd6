import { startTrial } from '../contract/activations';
import { fail, isFailure } from '../contract/errors';
import { client, serve } from '../runtime/http';
import { countryOf } from '../runtime/http/request-origin';
import { Reply } from '../runtime/http/response';
import { withVerdict } from '../runtime/http/verdict';
import { activationView } from '../use-cases/offline-token';
import { getSigningProduct } from '../use-cases/product-secrets';
import * as trials from '../use-cases/start-trial';

export const handler = serve(startTrial, client, async ({ body, event, app, now, product: { id } }) => {
  const product = await getSigningProduct(app, id);
  if (!product) return fail('unauthorized');
  const call = { app, product, now };
  const trial = await trials.startTrial(call, { ...body, country: await countryOf(app, event) });
  if (isFailure(trial)) return trial;
  if ('refusal' in trial) return withVerdict(call, { ...body, licenseId: trial.licenseId }, trial.refusal, trial.status);
  const view = await activationView(call, trial.license, trial.device);
  return trial.isNew ? view : new Reply(view, { status: 200 });
});
