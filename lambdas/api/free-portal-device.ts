import { isFailure } from '../contract/errors';
import { freePortalDevice } from '../contract/portal';
import { deviceOfRef } from '../domain/activation';
import { isSameAddress } from '../domain/member';
import { freeByBuyer, isOwn, noSuchLicense, notOffered } from '../domain/portal/license';
import { unchanged } from '../domain/transition';
import { buyer, serve } from '../runtime/http';
import { readDevices } from '../store/licenses/read';
import { rereadPeople, withPeople } from '../store/members';
import { applyDecision } from '../use-cases/apply-decision';

export const handler = serve(freePortalDevice, buyer, async ({ app, portal, session, params, now, ownLicense }) => {
  const license = await ownLicense();
  if (isFailure(license)) return portal.allow.includes('free_devices') ? license : notOffered();
  const device = deviceOfRef(await app.secrets.portalKey(), license, await readDevices(app.table, license), params.ref);
  const freed = await applyDecision(
    app,
    await withPeople(app.table, { license, device }, session.address),
    (state) => {
      const { own, holder } = state;
      if (!own && !isOwn(state.license, session)) return unchanged(noSuchLicense());
      const isSeen = isOwn(state.license, session) || own?.role === 'manager' || (own && holder && isSameAddress(own.email, holder.email));
      return freeByBuyer(state.license, isSeen ? state.device : undefined, portal, now, { own, holder });
    },
    { reread: rereadPeople(app.table, session.address) },
  );
  // `applyDecision` returns undefined if the license was reissued in the meantime. The reissue has freed every seat, so no seat is left to
  // free.
  return freed ?? { freed: false };
});
