import { fail, isFailure } from '../contract/errors';
import { setPortal } from '../contract/portal-settings';
import { changePortal, portalSettingsView } from '../domain/portal/settings';
import { operator, serve } from '../runtime/http';
import { serviceUrl } from '../runtime/http/service-url';
import { mailFrom } from '../runtime/mail/from';
import { editPortal } from '../store/portal/settings';
import { getProduct } from '../store/products';
import { removeLogo, storeLogo } from '../use-cases/portal/logo';

export const handler = serve(setPortal, operator, async ({ params, body, app, event }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  const logo = await storeLogo(app, product, body.logo);
  if (isFailure(logo)) return logo;
  const base_url = serviceUrl(app, event);
  const { before, after } = await editPortal(app.table, product, (portal) => changePortal(portal, { ...body, logo, base_url }));
  if (before.logo && before.logo.name !== after.logo?.name) await removeLogo(app, product.slug, before.logo);
  return portalSettingsView(after, product, mailFrom(app) !== null);
});
