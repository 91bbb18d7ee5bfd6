import type * as z from 'zod';
import { validate } from '../contract/activations';
import { isFailure } from '../contract/errors';
import { check } from '../domain/license';
import { clientLicenseView, deviceView, seatsView } from '../domain/views';
import { change } from '../use-cases/change-license';
import { deviceToken, serveClient } from '../runtime/http/serve-client';

export const handler = serveClient(validate, async (call): Promise<z.input<typeof validate.response>> => {
  const { license, device, app, now } = call;
  if (!license) return { valid: false, status: 'invalid' };
  const answer = await change(app, { license, device }, (state) => check(state.license, state.device, now));
  if (isFailure(answer)) return { valid: false, status: answer.failure === 'license_revoked' ? 'revoked' : 'expired' };

  const bound = answer.device;
  return {
    valid: true,
    status: answer.license.status,
    license: clientLicenseView(answer.license),
    seats: seatsView(answer.license),
    ...(bound && { device: deviceView(bound), offline_token: await deviceToken(call, answer.license, bound) }),
  };
});
