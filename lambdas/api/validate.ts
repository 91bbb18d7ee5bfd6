import { validate } from '../contract/activations';
import { isFailure } from '../contract/errors';
import { statusOfRefusal } from '../contract/statuses';
import { covers, limitsOf } from '../domain/coverage';
import { effectiveFeatures } from '../domain/license';
import { clientLicenseView, deviceView, seatsView, updatesView } from '../domain/views';
import { serveClient, withVerdict } from '../runtime/http/serve-client';
import { lostLicense, validateLicense } from '../use-cases/activation';
import { deviceToken } from '../use-cases/offline-token';

export const handler = serveClient(validate, async (call) => {
  const { claim, license, device, deadKeyOf, now } = call;
  const revoked = { valid: false, status: 'revoked' } as const;
  if (deadKeyOf !== undefined) return withVerdict(call, deadKeyOf, revoked, 'reissued');
  if (!license) {
    const lost = await lostLicense(call, claim.fingerprint);
    const invalid = { valid: false, status: 'invalid' } as const;
    return lost === undefined ? invalid : withVerdict(call, lost, invalid, 'unknown');
  }
  const result = await validateLicense({ ...call, license, device }, claim.fingerprint);
  if (result === undefined) return withVerdict(call, license.id, revoked, 'reissued');
  if (isFailure(result)) {
    const status = statusOfRefusal(result.failure);
    return status === undefined ? result : withVerdict(call, license.id, { valid: false as const, status }, status);
  }

  const bound = result.bound?.device;
  const validation = {
    valid: true as const,
    status: result.license.status,
    license: clientLicenseView(result.license),
    seats: seatsView(result.license),
    features: [...effectiveFeatures(result.license)],
    updates: updatesView(result.license),
    ...((claim.version !== undefined || claim.released_at !== undefined) && { covered: covers(limitsOf(result.license, now), claim) }),
    ...(bound && { device: deviceView(result.license, bound), offline_token: await deviceToken(call, result.license, bound) }),
  };
  return bound ? validation : withVerdict(call, result.license.id, validation, 'unbound');
});
