import { validate } from '../contract/activations';
import { isFailure } from '../contract/errors';
import { statusOfRefusal } from '../contract/statuses';
import { effectiveFeatures } from '../domain/license';
import { clientLicenseView, deviceView, seatsView } from '../domain/views';
import { deviceToken, serveClient, withVerdict } from '../runtime/http/serve-client';
import { validateLicense } from '../use-cases/activation';

export const handler = serveClient(validate, async (call) => {
  const { license, device, isDeadKey } = call;
  if (isDeadKey) return { valid: false as const, status: 'revoked' as const };
  if (!license) return { valid: false as const, status: 'invalid' as const };
  const result = await validateLicense({ ...call, license, device });
  if (result === undefined) return { valid: false as const, status: 'revoked' as const };
  if (isFailure(result)) {
    const status = statusOfRefusal(result.failure);
    return status === undefined ? result : withVerdict(call, license, { valid: false as const, status }, result.failure);
  }

  const bound = result.bound?.device;
  return {
    valid: true as const,
    status: result.license.status,
    license: clientLicenseView(result.license),
    seats: seatsView(result.license),
    features: [...effectiveFeatures(result.license)],
    ...(bound && { device: deviceView(result.license, bound), offline_token: await deviceToken(call, result.license, bound) }),
  };
});
