import { fail, isFailure } from '../contract/errors';
import { createPortalSession } from '../contract/portal';
import { refuseCredential } from '../runtime/http/refuse-credential';
import { originOf } from '../runtime/http/request-origin';
import { visitor, serve } from '../runtime/http';
import { signInByCode, signInByLink } from '../use-cases/portal/sign-in';

export const handler = serve(createPortalSession, visitor, async ({ app, event, portal, body: { email, code, token }, now }) => {
  const call = { app, portal, now };
  const done =
    token !== undefined
      ? await signInByLink(call, token)
      : email !== undefined && code !== undefined
        ? await signInByCode(call, email, code)
        : fail('unauthorized');
  return isFailure(done) ? refuseCredential('refused.portal_sign_in', event.resource, await originOf(app, event)) : done;
});
