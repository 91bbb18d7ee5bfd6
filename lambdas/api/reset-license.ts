import { isFailure } from '../contract/errors';
import { resetLicense } from '../contract/licenses';
import { reset } from '../domain/license-operations';
import { serve } from '../runtime/http/serve';
import { freedDevices } from '../store/licenses/freed-devices';
import { changeById } from '../use-cases/change-license';

export const handler = serve(resetLicense, async (call) => {
  const result = await changeById(call, (license) => reset(license, call.now, { newDevices: call.body.new_devices }), freedDevices);
  return isFailure(result) ? result : { status: 'reset' as const, freed: result.freed };
});
