import { decideActivationRequest } from '../contract/activation-requests';
import { isFailure } from '../contract/errors';
import { isPending } from '../domain/activation-request';
import { notOffered } from '../domain/portal/license';
import { languageOf } from '../domain/portal/language';
import { buyer, serve } from '../runtime/http';
import { header } from '../runtime/http/request';
import { retry, TRY_AGAIN } from '../store/retry';
import { approveRequest, denyRequest, findEnteredRequest, isRepeated, noSuchRequest } from '../use-cases/portal/activation-requests';

export const handler = serve(decideActivationRequest, buyer, ({ app, event, portal, session, body, now }) => {
  const licenseId = body.decision === 'approve' ? body.license_id : undefined;
  const call = { app, portal, session, language: languageOf(header(event, 'accept-language')), now };
  return retry(app.table, 'The request', async () => {
    const request = await findEnteredRequest(app, session, body.user_code, now);
    if (isFailure(request)) return request;
    if (isRepeated(request, session, licenseId, now)) return { status: request.decision.status };
    if (licenseId !== undefined && body.replace != null && !portal.allow.includes('free_devices')) return notOffered();
    if (!isPending(request, now)) return noSuchRequest();
    const done = licenseId === undefined ? await denyRequest(call, request) : await approveRequest(call, request, licenseId, body.replace);
    // Another session, or a repetition of this request, has decided the request in the meantime.
    return done === 'decided' ? TRY_AGAIN : done;
  });
});
