import { fail, isFailure } from '../contract/errors';
import { createActivation } from '../contract/license-operations';
import { addDevice } from '../domain/activation';
import { deviceView } from '../domain/views';
import { operator, serve } from '../runtime/http';
import { readWithDevice } from '../store/licenses/activation-state';
import { applyDecision } from '../use-cases/apply-decision';

export const handler = serve(createActivation, operator, async ({ params, body: { activated_at, ...claim }, app, now }) => {
  const activatedAt = activated_at ?? now;
  if (activatedAt > now) return fail('invalid_request', 'activated_at must not be in the future');
  const read = () => readWithDevice(app.table, params.id, claim.fingerprint);
  const state = await read();
  const added =
    state &&
    (await applyDecision(app, state, ({ license, device }) => addDevice(license, device, claim, activatedAt, now), {
      fingerprint: claim.fingerprint,
      follow: read,
    }));
  if (added === undefined) return fail('not_found', 'There is no such license');
  if (isFailure(added)) return added;
  return deviceView(added.license, added.device);
});
