import { isFailure } from '../contract/errors';
import { freePortalDevice } from '../contract/portal';
import { deviceOfRef } from '../domain/activation';
import { isSameAddress } from '../domain/member';
import { freeByBuyer, noSuchLicense, notOffered } from '../domain/portal/license';
import { isManaging, standingOf } from '../domain/portal/standing';
import { unchanged } from '../domain/transition';
import { buyer, serve } from '../runtime/http';
import { readDevices } from '../store/licenses/read';
import { rereadPeople, withPeople } from '../store/licenses/people';
import { applyDecision } from '../use-cases/apply-decision';

export const handler = serve(freePortalDevice, buyer, async ({ app, portal, session, params, now, openLicense }) => {
  const opened = await openLicense();
  if (isFailure(opened)) return portal.allow.includes('free_devices') ? opened : notOffered();
  const { license } = opened;
  const device = deviceOfRef(await app.secrets.portalKey(), license, await readDevices(app.table, license), params.ref);
  const freed = await applyDecision(
    app,
    await withPeople(app.table, { license, device }, session.address),
    (state) => {
      const { own, holder } = state;
      const standing = standingOf(state.license, own, session);
      if (!standing) return unchanged(noSuchLicense());
      // A member sees only own devices.
      const isSeen = isManaging(standing) || (own && holder && isSameAddress(own.email, holder.email));
      return freeByBuyer(state.license, isSeen ? state.device : undefined, portal, now, { own, holder });
    },
    { reread: rereadPeople(app.table, session.address) },
  );
  // `applyDecision` returns undefined if the license was reissued in the meantime. The reissue has freed every seat, so no seat is left to
  // free.
  return freed ?? { freed: false };
});
