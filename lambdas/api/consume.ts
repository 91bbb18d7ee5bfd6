import { fail } from '../contract/errors';
import { consume } from '../contract/meters';
import { lookupKey } from '../domain/license-key';
import { clientWithKey, serve } from '../runtime/http';
import * as meters from '../use-cases/meters';

export const handler = serve(consume, clientWithKey, async ({ body, license, device, meter, deadKeyOf, deviceKey, product, app }) => {
  if (deadKeyOf !== undefined) return fail('license_revoked');
  if (!license) return fail('not_found', 'There is no such license');
  const address = { productId: product.id, key: lookupKey(deviceKey ? license.key : body.key) ?? '' };
  const read = { license, device, meter };
  const reread = () => meters.readMeterState(app, address, body.meter, body.fingerprint);
  const consumed = await meters.consume(app, read, body, { needsSeat: true, keyHash: deviceKey?.hash, reread });
  return consumed ?? fail(deviceKey ? 'sign_in_required' : 'license_revoked');
});
