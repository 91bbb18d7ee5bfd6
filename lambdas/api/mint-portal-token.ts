import { isFailure, type Failure } from '../contract/errors';
import { mintPortalToken } from '../contract/portal';
import type { DeviceClaim } from '../domain/activation';
import type { License } from '../domain/license';
import type { Member } from '../domain/member';
import { noSuchLicense } from '../domain/portal/license';
import { portalAccessOf } from '../domain/portal/access';
import { readOfflineRequest } from '../domain/portal/offline-request';
import { buyer, serve } from '../runtime/http';
import { countOfflineToken } from '../store/limits';
import { transact } from '../store/transaction';
import { mintForDevice } from '../use-cases/offline-token';
import { getSigningProduct } from '../use-cases/product-secrets';

export const handler = serve(mintPortalToken, buyer, async ({ app, portal, session, body, now, openLicense }) => {
  const opened = await openLicense();
  if (isFailure(opened)) return opened;
  const { license: read, access } = opened;
  const claimOn = (license: License, member: Member | undefined): Failure | DeviceClaim =>
    portalAccessOf(license, member, session) ? readOfflineRequest(body.request, license) : noSuchLicense();
  const claim = claimOn(read, access.member);
  if (isFailure(claim)) return claim;
  const product = await getSigningProduct(app, portal.product_id);
  if (!product) return noSuchLicense();
  // The offline request is checked again when the device is bound, because the buyer or the key of the license may have changed in the
  // meantime.
  const refusal = (license: License, own: Member | undefined): Failure | undefined => {
    const again = claimOn(license, own);
    return isFailure(again) ? again : undefined;
  };
  const response =
    (await mintForDevice({ app, product, now }, read.id, claim, app.config.offlineTokenDays, { person: session.address, refusal })) ??
    noSuchLicense();
  if (isFailure(response)) return response;
  // The audit entry of a new device was written with the device. The entry of a further token is written with the count, if the count is not
  // used up.
  await transact(app.table, [countOfflineToken(read.id, claim.fingerprint, now)]);
  return { response };
});
