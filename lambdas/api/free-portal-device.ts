import { isFailure } from '../contract/errors';
import { freePortalDevice } from '../contract/portal';
import { deviceOfRef } from '../domain/activation';
import { isSameAddress } from '../domain/member';
import { freeByBuyer, noSuchLicense, notOffered } from '../domain/portal/license';
import { isManaging, portalAccessOf, type PortalAccess } from '../domain/portal/access';
import { unchanged } from '../domain/transition';
import { buyer, serve } from '../runtime/http';
import { visibleDevices } from '../store/licenses/of-person';
import { rereadPeople, withPeople } from '../store/licenses/people';
import { applyDecision } from '../use-cases/apply-decision';
import { checkMembership } from '../use-cases/members';

export const handler = serve(freePortalDevice, buyer, async ({ app, portal, session, params, now, openLicense }) => {
  const open = await openLicense();
  if (isFailure(open)) return portal.allow.includes('free_devices') ? open : notOffered();
  const { license, access } = open;
  const device = deviceOfRef(await app.secrets.portalKey(), license, await visibleDevices(app.table, license, access), params.ref);
  let current: PortalAccess | undefined;
  const freed = await applyDecision(
    app,
    await withPeople(app.table, { license, device }, session.address),
    (state) => {
      current = portalAccessOf(state.license, state.own, session);
      if (!current) return unchanged(noSuchLicense());
      const isVisible = isManaging(current) || (state.holder !== undefined && isSameAddress(state.holder.email, session.address));
      return freeByBuyer(state.license, isVisible ? state.device : undefined, portal, now, state);
    },
    {
      reread: rereadPeople(app.table, session.address),
      alongside: (transition) => checkMembership(current?.member, transition),
    },
  );
  // `applyDecision` returns undefined if the license was reissued in the meantime. The reissue has freed every seat, so no seat is left to
  // free.
  return freed ?? { freed: false };
});
