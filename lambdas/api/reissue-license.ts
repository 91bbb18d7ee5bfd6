import { reissueLicense } from '../contract/license-operations';
import { generateKey, KEY_RANDOM_BYTES } from '../domain/license-key';
import { reissue } from '../domain/license-operations';
import { serve } from '../runtime/http/serve';
import { freedDevices } from '../store/licenses/freed-devices';
import { changeAndShow } from '../use-cases/change-license';

export const handler = serve(reissueLicense, (call) => {
  const key = generateKey(call.app.random(KEY_RANDOM_BYTES));
  return changeAndShow(call, (license) => reissue(license, key, call.now), freedDevices);
});
