import { activate } from '../contract/activations';
import { fail, isFailure } from '../contract/errors';
import { statusOfRefusal } from '../contract/statuses';
import { clientLicenseView, deviceView, seatsView, updatesView } from '../domain/views';
import { effectiveFeatures } from '../domain/license';
import { serveClient, withVerdict } from '../runtime/http/serve-client';
import { activateDevice } from '../use-cases/activation';
import { deviceToken } from '../use-cases/offline-token';

export const handler = serveClient(activate, async (call) => {
  const { claim, license, device, deadKeyOf } = call;
  if (deadKeyOf !== undefined) return withVerdict(call, deadKeyOf, fail('license_revoked'), 'reissued');
  if (!license) return fail('not_found', 'There is no such license');
  const result = await activateDevice({ ...call, license, device }, claim);
  if (result === undefined) return withVerdict(call, license.id, fail('license_revoked'), 'reissued');
  if (isFailure(result)) return withVerdict(call, license.id, result, statusOfRefusal(result.failure));
  const bound = result.bound.device;
  return {
    status: result.license.status,
    license: clientLicenseView(result.license),
    device: deviceView(result.license, bound),
    seats: seatsView(result.license),
    features: [...effectiveFeatures(result.license)],
    updates: updatesView(result.license),
    offline_token: await deviceToken(call, result.license, bound),
  };
});
