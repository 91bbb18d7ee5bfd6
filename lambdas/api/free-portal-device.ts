import { isFailure } from '../contract/errors';
import { freePortalDevice } from '../contract/portal';
import { deviceOfRef } from '../domain/activation';
import { freeByBuyer, isOwn, noSuchLicense, notOffered } from '../domain/portal/license';
import { unchanged } from '../domain/transition';
import { buyer, serve } from '../runtime/http';
import { readDevices } from '../store/licenses/read';
import { applyDecision } from '../use-cases/apply-decision';

export const handler = serve(freePortalDevice, buyer, async ({ app, portal, session, params, now, ownLicense }) => {
  const license = await ownLicense();
  if (isFailure(license)) return portal.allow.includes('free_devices') ? license : notOffered();
  const device = deviceOfRef(await app.secrets.portalKey(), license, await readDevices(app.table, license), params.ref);
  const freed = await applyDecision(app, { license, device }, (state) =>
    isOwn(state.license, session) ? freeByBuyer(state.license, state.device, portal, now) : unchanged(noSuchLicense()),
  );
  // `applyDecision` returns undefined if the license was reissued in the meantime. The reissue has freed every seat, so no seat is left to
  // free.
  return freed ?? { freed: false };
});
