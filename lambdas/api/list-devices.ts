import { listDevices } from '../contract/activations';
import { fail, isFailure } from '../contract/errors';
import { devicesWithRefs } from '../domain/activation';
import { timestampOf } from '../domain/time';
import { examine } from '../domain/validation';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { clientWithKey, serve } from '../runtime/http';
import { readDevices } from '../store/licenses/read';
import { applyDecision } from '../use-cases/apply-decision';

/** The fields that decide the position of a device in the list. The device that was bound last comes first. */
interface Place {
  readonly activated_at: number;
  readonly ref: string;
}

/** The position of a device in cursors. It contains no fingerprint, because apps must not see the fingerprints of other devices. */
const positionOf = ({ activated_at, ref }: Place): string => `${activated_at}-${ref}`;

/** Whether a device comes after a position. The device at the position may have been freed in the meantime. */
function isAfter({ activated_at, ref }: Place, position: string): boolean {
  const [at = ''] = position.split('-', 1);
  return activated_at < Number(at) || (activated_at === Number(at) && ref > position.slice(at.length + 1));
}

export const handler = serve(
  listDevices,
  clientWithKey,
  async ({ body, query, product, license, device, deadKeyOf, deviceKey, app, now }) => {
    if (!product.list_devices) return fail('not_found', 'Apps of this product may not list devices');
    if (deadKeyOf !== undefined) return fail('license_revoked');
    if (!license) return fail('not_found', 'There is no such license');
    const examined =
      (await applyDecision(app, { license, device }, (state) => examine(state.license, state.device, now, deviceKey?.hash))) ??
      fail(deviceKey ? 'sign_in_required' : 'license_revoked');
    if (isFailure(examined)) return examined;

    // With a device key, the list contains only the device of the key.
    const thisDevice = deviceKey ? device?.fingerprint : body.fingerprint;
    const [key, bound] = await Promise.all([app.secrets.portalKey(), readDevices(app.table, examined)]);
    const listed = deviceKey ? bound.filter(({ fingerprint }) => fingerprint === thisDevice) : bound;
    const devices = devicesWithRefs(key, examined, listed).sort((a, b) => b.activated_at - a.activated_at || (a.ref < b.ref ? -1 : 1));
    const rest = devices.filter((device) => query.cursor === undefined || isAfter(device, query.cursor));
    const shown = rest.slice(0, pageLimit(query.limit));
    const last = shown.at(-1);
    return pageOf(
      shown,
      last && rest.length > shown.length ? positionOf(last) : undefined,
      positionOf,
      ({ ref, name, platform, activated_at, last_seen_on, fingerprint }) => ({
        ref,
        name,
        platform,
        activated_at: timestampOf(activated_at),
        last_seen_on,
        this: fingerprint === thisDevice,
      }),
    );
  },
);
