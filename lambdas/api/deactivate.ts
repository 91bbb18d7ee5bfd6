import { deactivate } from '../contract/activations';
import { fail } from '../contract/errors';
import * as domain from '../domain/activation';
import type { Device } from '../domain/license';
import { clientWithKey, serve } from '../runtime/http';
import { readDevices } from '../store/licenses/read';
import { rereadPeople, withPeople } from '../store/licenses/people';
import { applyDecision } from '../use-cases/apply-decision';

export const handler = serve(
  deactivate,
  clientWithKey,
  async ({ body, license, device: known, deadKeyOf, deviceKey, app, now, readProduct }) => {
    if (deadKeyOf !== undefined) return { freed: false };
    if (!license) return fail('not_found', 'There is no such license');
    const candidates = async (): Promise<readonly Device[]> =>
      deviceKey ? [known].filter((one) => one !== undefined) : await readDevices(app.table, license);
    const device =
      body.device == null ? known : domain.deviceOfRef(await app.secrets.portalKey(), license, await candidates(), body.device);
    // `applyDecision` returns undefined if the license was reissued in the meantime. The reissue has freed every seat, so no seat is left to
    // free.
    const result = await applyDecision(
      app,
      await withPeople(app.table, { license, device }),
      ({ holder, ...state }) => domain.deactivate(state.license, state.device, now, { keyHash: deviceKey?.hash, holder }),
      { readProduct, reread: rereadPeople(app.table) },
    );
    return result ?? { freed: false };
  },
);
