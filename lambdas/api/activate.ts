import { activate } from '../contract/activations';
import { fail, isFailure } from '../contract/errors';
import * as domain from '../domain/license';
import { clientLicenseView, deviceView, seatsView } from '../domain/views';
import { change } from '../use-cases/change-license';
import { count } from '../runtime/observability/metrics';
import { deviceToken, serveClient } from '../runtime/http/serve-client';
import { relabelDevice, type LicenseState } from '../store/licenses/change';

export const handler = serveClient(activate, async (call) => {
  const { claim, license, device, reread, app, now } = call;
  if (!license) return fail('not_found', 'There is no such license');
  const decide = (state: LicenseState): ReturnType<typeof domain.activate> => domain.activate(state.license, state.device, claim, now);
  let answer = await change(app, { license, device }, decide);
  if (isFailure(answer) && answer.failure === 'no_seats') {
    // The device is read beside its license, not at the same instant: the last seat may be its own, taken in between.
    answer = await change(app, { license, ...(await reread()) }, decide);
  }
  if (isFailure(answer)) {
    if (answer.failure === 'no_seats') count('refused.no_seats');
    return answer;
  }
  if (answer.relabelled) await relabelDevice(app.table, answer.license, answer.device);
  return {
    status: answer.license.status,
    license: clientLicenseView(answer.license),
    device: deviceView(answer.device),
    seats: seatsView(answer.license),
    offline_token: await deviceToken(call, answer.license, answer.device),
  };
});
