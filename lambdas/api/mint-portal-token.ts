import { isFailure } from '../contract/errors';
import { mintPortalToken } from '../contract/portal';
import { leaseEnd } from '../domain/license';
import { mintToken } from '../domain/offline-token';
import { isOwn, noSuchLicense } from '../domain/portal/license';
import { readOfflineRequest } from '../domain/portal/offline-request';
import { servePortal } from '../runtime/http/serve-portal';
import { recordWrite } from '../store/transaction';
import { activateById } from '../use-cases/activation';
import { getSigningProduct } from '../use-cases/product-secrets';

export const handler = servePortal(mintPortalToken, async ({ app, portal, session, body, now, ownLicense }) => {
  const license = await ownLicense();
  if (isFailure(license)) return license;
  const claim = readOfflineRequest(body.request, license);
  if (isFailure(claim)) return claim;
  const product = await getSigningProduct(app, portal.product_id);
  const activated = await activateById({ app, now }, license.id, claim);
  if (!product || !activated || !isOwn(activated.license, session)) return noSuchLicense();
  const activation = activated.result;
  if (isFailure(activation)) return activation;
  // If the device was already bound, nothing changes, but the token is minted.
  await recordWrite(app.table);
  const bound = activation.bound.device;
  return {
    response: mintToken(await app.products.signer(product), activation.license, {
      id: Buffer.from(app.random(16)).toString('base64url'),
      ttlDays: app.config.offlineTokenDays,
      now,
      fingerprint: bound.fingerprint,
      leaseEnd: leaseEnd(activation.license, bound),
    }),
  };
});
