import { fail } from '../contract/errors';
import { createPortalLink } from '../contract/portal-settings';
import { addressHash } from '../domain/audit';
import { hold } from '../domain/portal/buyer';
import { PORTAL_TOKEN_BYTES, portalTokenHash, portalTokenOf } from '../domain/portal/session';
import { portalUrl } from '../domain/portal/settings';
import { MINUTE_MS, timestampOf } from '../domain/time';
import { operator, serve } from '../runtime/http';
import { ownsLicense } from '../store/licenses/of-person';
import { deleteLinks, getBuyer, putBuyer } from '../store/portal/buyers';
import { createLink } from '../store/portal/sessions';
import { getOpenPortal } from '../store/portal/settings';
import { getProduct } from '../store/products';
import { retry, TRY_AGAIN } from '../store/retry';
import { transact } from '../store/transaction';

/** Default validity of a link, in minutes. */
const TTL_MINUTES = 1440;

export const handler = serve(createPortalLink, operator, async ({ params, body, app, now }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  const portal = await getOpenPortal(app.table, product.slug);
  if (!portal) return fail('invalid_request', 'The portal of the product is off');
  const address = body.customer_email;
  if (!(await ownsLicense(app.table, { product_id: product.id, address })))
    return fail('not_found', 'No license of the product has this e-mail address');

  app.table.audit?.describe({ target: addressHash(address) });
  const token = portalTokenOf(app.random(PORTAL_TOKEN_BYTES));
  const until = now + (body.ttl_minutes ?? TTL_MINUTES) * MINUTE_MS;
  const link = { hash: portalTokenHash(token), product_id: product.id, epoch: portal.epoch, address, until };
  await retry(app.table, 'The buyer', async () => {
    const known = await getBuyer(app.table, product.id, address);
    const { held, ended } = hold(known.buyer.links, { hash: link.hash, until }, now);
    const { committed } = await transact(app.table, [
      putBuyer(product.id, known, { ...known.buyer, links: held }, now),
      createLink(link),
      ...deleteLinks(ended),
    ]);
    return committed ? undefined : TRY_AGAIN;
  });
  return { url: portalUrl(portal, app.config.publicUrl, token), expires_at: timestampOf(until) };
});
