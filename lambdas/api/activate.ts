import { activate } from '../contract/activations';
import { fail, isFailure } from '../contract/errors';
import { statusOfRefusal } from '../contract/statuses';
import { clientWithKey, serve } from '../runtime/http';
import { withVerdict } from '../runtime/http/verdict';
import { activateDevice } from '../use-cases/activation';
import { activationView } from '../use-cases/offline-token';

export const handler = serve(activate, clientWithKey, async (call) => {
  const { body, license, device, deadKeyOf } = call;
  const about = (licenseId: number) => ({ licenseId, fingerprint: body.fingerprint });
  if (deadKeyOf !== undefined) return withVerdict(call, about(deadKeyOf), fail('license_revoked'), 'reissued');
  if (!license) return fail('not_found', 'There is no such license');
  const result = await activateDevice({ ...call, license, device }, body);
  if (result === undefined) return withVerdict(call, about(license.id), fail('license_revoked'), 'reissued');
  if (isFailure(result)) return withVerdict(call, about(license.id), result, statusOfRefusal(result.failure));
  return activationView(call, result.license, result.bound.device);
});
