import { lookupActivationRequest } from '../contract/activation-requests';
import { isFailure } from '../contract/errors';
import { isPending, shownUserCode } from '../domain/activation-request';
import { timestampOf } from '../domain/time';
import { buyer, serve } from '../runtime/http';
import { findEnteredRequest, noSuchRequest, offeredLicenses } from '../use-cases/portal/activation-requests';

export const handler = serve(lookupActivationRequest, buyer, async ({ app, session, body, now }) => {
  const request = await findEnteredRequest(app, session, body.user_code, now);
  if (isFailure(request)) return request;
  if (!isPending(request, now)) return noSuchRequest();
  const { user_code, name, platform, country, created_at, expires_at } = request;
  return {
    user_code: shownUserCode(user_code),
    device: { name, platform, country },
    requested_at: timestampOf(created_at),
    expires_at: timestampOf(expires_at),
    licenses: await offeredLicenses(app, session, request, now),
  };
});
