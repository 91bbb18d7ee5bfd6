import { activate } from '../contract/activations';
import { fail, isFailure } from '../contract/errors';
import { statusOfRefusal } from '../contract/statuses';
import { boundDevice } from '../domain/license';
import { isSeen } from '../domain/validation';
import { clientWithKey, serve } from '../runtime/http';
import { countryOf } from '../runtime/http/request-origin';
import { withVerdict } from '../runtime/http/verdict';
import { followLicense } from '../use-cases/apply-decision';
import { activateDevice } from '../use-cases/activation';
import { activationView } from '../use-cases/offline-token';

export const handler = serve(activate, clientWithKey, async (call) => {
  const { app, event, body, license, device, deadKeyOf, deviceKey, now } = call;
  const about = (licenseId: number) => ({ licenseId, fingerprint: body.fingerprint });
  if (deadKeyOf !== undefined) return withVerdict(call, about(deadKeyOf), fail('license_revoked'), 'reissued');
  if (!license) return fail('not_found', 'There is no such license');
  // If the license receives another key in the meantime, a device key finds the license by its id, and is then refused.
  const options = deviceKey ? { follow: followLicense(app, license.id) } : {};
  // To prove the country, a new function instance must read a secret, so it is read only if it is stored.
  const bound = boundDevice(license, device);
  const country = bound && isSeen(bound, now) ? null : await countryOf(app, event);
  const claim = { ...body, country, keyHash: deviceKey?.hash };
  const result = await activateDevice({ ...call, license, device }, claim, options);
  if (result === undefined) return withVerdict(call, about(license.id), fail('license_revoked'), 'reissued');
  if (isFailure(result)) return withVerdict(call, about(license.id), result, statusOfRefusal(result.failure));
  return activationView(call, result.license, result.bound.device, deviceKey?.key);
});
