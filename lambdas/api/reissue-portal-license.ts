import { isFailure } from '../contract/errors';
import { reissuePortalLicense } from '../contract/portal';
import { EVENT_RANDOM_BYTES, type Event } from '../domain/event';
import { keyMailFor } from '../domain/key-mail';
import { generateKey, KEY_RANDOM_BYTES } from '../domain/license-key';
import { meterView } from '../domain/meters';
import { isOwn, noSuchLicense, reissueByBuyer } from '../domain/portal/license';
import { portalLicenseView } from '../domain/portal/license-view';
import { unchanged } from '../domain/transition';
import { buyer, serve } from '../runtime/http';
import { notify } from '../runtime/queue';
import { recordEvent } from '../store/events/record';
import { freedDevices } from '../store/licenses/freed-devices';
import { getOwnMember } from '../store/members';
import { moveMeters } from '../store/meters';
import { getProduct } from '../store/products';
import { metersOf } from '../use-cases/meters';
import { applyDecision, followLicense } from '../use-cases/apply-decision';

export const handler = serve(reissuePortalLicense, buyer, async ({ app, portal, session, now, ownLicense }) => {
  const read = await ownLicense();
  if (isFailure(read)) return read;
  const key = generateKey(app.random(KEY_RANDOM_BYTES));
  const product = await getProduct(app.table, portal.product_id);
  if (!product) return noSuchLicense();
  let mail: Event | undefined;
  const reissued = await applyDecision(
    app,
    { license: read },
    ({ license }) => (isOwn(license, session) ? reissueByBuyer(license, key, now) : unchanged(noSuchLicense())),
    {
      follow: followLicense(app, read.id),
      readProduct: product,
      alongside: async (transition) => {
        mail = keyMailFor(product, [transition.after], now, app.random(EVENT_RANDOM_BYTES));
        return [...freedDevices(transition), ...(await moveMeters(app.table, transition)), ...(mail ? [recordEvent(mail)] : [])];
      },
    },
  );
  if (reissued === undefined) return noSuchLicense();
  if (isFailure(reissued)) return reissued;
  if (mail) await notify(app, [mail]);
  return portalLicenseView(
    reissued,
    { role: 'buyer', member: await getOwnMember(app.table, reissued, session.address) },
    [],
    await metersOf(app, reissued, meterView),
    portal,
    product,
    now,
  );
});
