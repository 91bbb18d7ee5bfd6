import { createActivationRequest } from '../contract/activation-requests';
import {
  newRequest,
  pollInterval,
  REQUEST_BYTES,
  requestHash,
  shownUserCode,
  USER_CODE_BYTES,
  userCodeOf,
} from '../domain/activation-request';
import { deviceKeyHash, deviceKeyOf } from '../domain/device-key';
import { portalUrl } from '../domain/portal/settings';
import { timestampOf } from '../domain/time';
import { signingInClient, serve } from '../runtime/http';
import { countryOf } from '../runtime/http/request-origin';
import { createRequest } from '../store/activation-requests';
import { retry, TRY_AGAIN } from '../store/retry';

export const handler = serve(createActivationRequest, signingInClient, async ({ app, event, body, product, portal, now }) => {
  const request = Buffer.from(app.random(REQUEST_BYTES)).toString('base64url');
  const facts = {
    product_id: product.id,
    fingerprint: body.fingerprint,
    hash: requestHash(request),
    key_hash: deviceKeyHash(deviceKeyOf(await app.secrets.portalKey(), product.id, request)),
    name: body.name ?? '',
    platform: body.platform ?? '',
    release: body.release ?? null,
    country: await countryOf(app, event),
  };
  return retry(app.table, 'The code', async () => {
    const created = newRequest({ ...facts, user_code: userCodeOf(app.random(USER_CODE_BYTES)) }, now);
    if (!(await createRequest(app.table, created))) return TRY_AGAIN;
    const user_code = shownUserCode(created.user_code);
    return {
      request,
      user_code,
      url: `${portalUrl(portal, app.config.publicUrl)}#activate=${user_code}`,
      interval: pollInterval(created, now),
      expires_at: timestampOf(created.expires_at),
    };
  });
});
