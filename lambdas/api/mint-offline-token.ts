import { fail, isFailure } from '../contract/errors';
import { mintOfflineToken } from '../contract/licenses';
import { check } from '../domain/license';
import { mintToken } from '../domain/offline-token';
import { serve } from '../runtime/http/serve';
import { getLicense } from '../store/licenses/read';
import { getSigningProduct } from '../use-cases/product-secrets';

export const handler = serve(mintOfflineToken, async ({ params, body, app, now }) => {
  const license = await getLicense(app.table, params.id);
  const product = license && (await getSigningProduct(app, license.product_id));
  if (!license || !product) return fail('not_found', 'There is no such license');

  const { answer } = check(license, undefined, now);
  if (isFailure(answer)) return answer;
  const token = mintToken(await app.products.signer(product), license, {
    id: Buffer.from(app.random(16)).toString('base64url'),
    ttlDays: body.ttl_days ?? app.config.offlineTokenDays,
    now,
  });
  return { token };
});
