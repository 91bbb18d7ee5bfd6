import { fail, isFailure } from '../contract/errors';
import { listAppMeters } from '../contract/meters';
import { boundDevice } from '../domain/license';
import { meterView } from '../domain/meters';
import { examine } from '../domain/validation';
import { clientWithKey, serve } from '../runtime/http';
import { applyDecision } from '../use-cases/apply-decision';
import { metersOf } from '../use-cases/meters';

export const handler = serve(listAppMeters, clientWithKey, async ({ license, device, deadKeyOf, deviceKey, app, now }) => {
  if (deadKeyOf !== undefined) return fail('license_revoked');
  if (!license) return fail('not_found', 'There is no such license');
  const examined =
    (await applyDecision(app, { license, device }, (state) => examine(state.license, state.device, now, deviceKey?.hash))) ??
    fail(deviceKey ? 'sign_in_required' : 'license_revoked');
  if (isFailure(examined)) return examined;
  return boundDevice(examined, device) ? metersOf(app, examined, meterView) : fail('not_activated');
});
