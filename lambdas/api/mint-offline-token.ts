import { fail, isFailure } from '../contract/errors';
import { mintOfflineToken } from '../contract/licenses';
import { mintingRefusal } from '../domain/validation';
import { leaseEnd } from '../domain/license';
import { mintToken, type TokenOptions } from '../domain/offline-token';
import { serve } from '../runtime/http/serve';
import { recordWrite } from '../store/transaction';
import { getLicense } from '../store/licenses/read';
import { getSigningProduct } from '../use-cases/product-secrets';
import { activateById } from '../use-cases/activation';

export const handler = serve(mintOfflineToken, async ({ params, body, app, now }) => {
  const license = await getLicense(app.table, params.id);
  const product = license && (await getSigningProduct(app, license.product_id));
  if (!license || !product) return fail('not_found', 'There is no such license');

  app.table.audit?.describe({ product_id: license.product_id });
  const signer = await app.products.signer(product);
  const options: TokenOptions = {
    id: Buffer.from(app.random(16)).toString('base64url'),
    ttlDays: body.ttl_days ?? app.config.offlineTokenDays,
    now,
  };
  if (body.fingerprint == null) {
    const refusal = mintingRefusal(license, now);
    if (refusal) return refusal;
    await recordWrite(app.table);
    return { token: mintToken(signer, license, options) };
  }

  const activated = await activateById({ app, now }, license.id, {
    fingerprint: body.fingerprint,
    name: body.name,
    platform: body.platform,
  });
  if (!activated) return fail('not_found', 'There is no such license');
  const activation = activated.result;
  if (isFailure(activation)) return activation;
  // If the device was already bound, nothing changes, but the token is minted.
  await recordWrite(app.table);
  const bound = activation.bound.device;
  return {
    token: mintToken(signer, activation.license, {
      ...options,
      fingerprint: bound.fingerprint,
      leaseEnd: leaseEnd(activation.license, bound),
    }),
  };
});
