import { fail, isFailure } from '../contract/errors';
import { mintOfflineToken } from '../contract/licenses';
import { mintingRefusal } from '../domain/validation';
import { operator, serve } from '../runtime/http';
import { recordWrite } from '../store/transaction';
import { getLicense } from '../store/licenses/read';
import { getSigningProduct } from '../use-cases/product-secrets';
import { mintForDevice, newToken } from '../use-cases/offline-token';

export const handler = serve(mintOfflineToken, operator, async ({ params, body: { fingerprint, name, platform, ttl_days }, app, now }) => {
  const license = await getLicense(app.table, params.id);
  const product = license && (await getSigningProduct(app, license.product_id));
  if (!license || !product) return fail('not_found', 'There is no such license');

  app.table.audit?.describe({ product_id: license.product_id });
  const call = { app, product, now };
  const ttlDays = ttl_days ?? app.config.offlineTokenDays;
  if (fingerprint != null) {
    const token = await mintForDevice(call, license.id, { fingerprint, name, platform }, ttlDays);
    if (token === undefined) return fail('not_found', 'There is no such license');
    if (isFailure(token)) return token;
    await recordWrite(app.table);
    return { token };
  }
  const refusal = mintingRefusal(license, now);
  if (refusal) return refusal;
  await recordWrite(app.table);
  return { token: await newToken(call, license, ttlDays) };
});
