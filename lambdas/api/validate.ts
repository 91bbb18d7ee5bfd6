import { validate } from '../contract/activations';
import { isFailure } from '../contract/errors';
import { statusOfRefusal } from '../contract/statuses';
import { covers, limitsOf } from '../domain/coverage';
import { appVersionOf } from '../domain/license';
import { isSeen } from '../domain/validation';
import { deviceView, grantedView } from '../domain/views';
import { clientWithKey, serve } from '../runtime/http';
import { countryOf } from '../runtime/http/request-origin';
import { withVerdict } from '../runtime/http/verdict';
import { lostLicense, validateLicense } from '../use-cases/activation';
import { deviceToken } from '../use-cases/offline-token';

export const handler = serve(validate, clientWithKey, async (call) => {
  const { app, event, query, license, device, deadKeyOf, deviceKey, now } = call;
  const about = (licenseId: number) => ({ licenseId, fingerprint: query.fingerprint });
  const revoked = { valid: false, status: 'revoked' } as const;
  if (deadKeyOf !== undefined) return withVerdict(call, about(deadKeyOf), revoked, 'reissued');
  if (!license) {
    const lost = await lostLicense(call, query.fingerprint);
    const invalid = { valid: false, status: 'invalid' } as const;
    return lost === undefined ? invalid : withVerdict(call, about(lost), invalid, 'unknown');
  }
  // To prove the country, a new function instance must read a secret, so it is read only if it is stored.
  const country = device && !isSeen(device, now) ? await countryOf(app, event) : null;
  const use = { app_version: appVersionOf(query.version), country };
  const result = await validateLicense({ ...call, license, device }, query.fingerprint, use, deviceKey?.hash);
  if (result === undefined) return withVerdict(call, about(license.id), revoked, 'reissued');
  if (isFailure(result)) {
    const status = statusOfRefusal(result.failure);
    return status === undefined ? result : withVerdict(call, about(license.id), { valid: false as const, status }, status);
  }

  const bound = result.bound?.device;
  const validation = {
    valid: true as const,
    ...grantedView(result.license, deviceKey?.key),
    ...((query.version !== undefined || query.released_at !== undefined) && { covered: covers(limitsOf(result.license, now), query) }),
    ...(bound && { device: deviceView(result.license, bound), offline_token: await deviceToken(call, result.license, bound) }),
  };
  return bound ? validation : withVerdict(call, about(result.license.id), validation, 'unbound');
});
