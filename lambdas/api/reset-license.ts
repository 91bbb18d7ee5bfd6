import { isFailure } from '../contract/errors';
import { resetLicense } from '../contract/licenses';
import { reset } from '../domain/license-operations';
import { operator, serve } from '../runtime/http';
import { freedDevices } from '../store/licenses/freed-devices';
import { applyById } from '../use-cases/change-license';

export const handler = serve(resetLicense, operator, async (call) => {
  const result = await applyById(call, (license) => reset(license, call.now, { newDevices: call.body.new_devices }), {
    alongside: freedDevices,
  });
  return isFailure(result) ? result : { status: 'reset' as const, freed: result.freed };
});
