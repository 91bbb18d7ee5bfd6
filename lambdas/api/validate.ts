import { validate } from '../contract/activations';
import { isFailure } from '../contract/errors';
import { statusOfRefusal } from '../contract/statuses';
import { covers, limitsOf } from '../domain/coverage';
import { effectiveFeatures } from '../domain/license';
import { clientLicenseView, deviceView, seatsView, updatesView } from '../domain/views';
import { serveClient, withVerdict } from '../runtime/http/serve-client';
import { validateLicense } from '../use-cases/activation';
import { deviceToken } from '../use-cases/offline-token';

export const handler = serveClient(validate, async (call) => {
  const { claim, license, device, isDeadKey, now } = call;
  if (isDeadKey) return { valid: false as const, status: 'revoked' as const };
  if (!license) return { valid: false as const, status: 'invalid' as const };
  const result = await validateLicense({ ...call, license, device }, claim.fingerprint);
  if (result === undefined) return { valid: false as const, status: 'revoked' as const };
  if (isFailure(result)) {
    const status = statusOfRefusal(result.failure);
    return status === undefined ? result : withVerdict(call, license, { valid: false as const, status }, status);
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
  return bound ? validation : withVerdict(call, result.license, validation, 'unbound');
});
