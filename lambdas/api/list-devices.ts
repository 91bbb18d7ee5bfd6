import { listDevices } from '../contract/activations';
import { fail, isFailure } from '../contract/errors';
import { deviceRef } from '../domain/activation';
import { boundDevice } from '../domain/license';
import { timestampOf } from '../domain/time';
import { examine } from '../domain/validation';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { serveClient } from '../runtime/http/serve-client';
import { readDevices } from '../store/licenses/read';
import { applyDecision } from '../use-cases/apply-decision';

export const handler = serveClient(listDevices, async ({ claim, query, product, license, isDeadKey, app, now }) => {
  if (!product.list_devices) return fail('not_found', 'Apps of this product may not list devices');
  if (isDeadKey) return fail('license_revoked');
  if (!license) return fail('not_found', 'There is no such license');
  const examined = (await applyDecision(app, { license }, (state) => examine(state.license, now))) ?? fail('license_revoked');
  if (isFailure(examined)) return examined;

  const devices = (await readDevices(app.table, examined))
    .filter((device) => boundDevice(examined, device) !== undefined)
    .sort((a, b) => b.activated_at - a.activated_at || (a.fingerprint < b.fingerprint ? -1 : 1));
  const start = Number(query.cursor ?? 0);
  const end = start + pageLimit(query.limit);
  const places = devices.map((device, place) => ({ device, place: place + 1 })).slice(start, end);
  return pageOf(
    places,
    end < devices.length ? end : undefined,
    ({ place }) => place,
    ({ device }) => ({
      ref: deviceRef(examined, device),
      name: device.name,
      platform: device.platform,
      activated_at: timestampOf(device.activated_at),
      last_seen_on: device.last_seen_on,
      this: device.fingerprint === claim.fingerprint,
    }),
  );
});
