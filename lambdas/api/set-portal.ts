import { fail } from '../contract/errors';
import { setPortal } from '../contract/portal-settings';
import { changePortal, portalSettingsView } from '../domain/portal/settings';
import { operator, serve } from '../runtime/http';
import { serviceUrl } from '../runtime/http/service-url';
import { mailFrom } from '../runtime/mail/from';
import { editPortal } from '../store/portal/settings';
import { getProduct } from '../store/products';

export const handler = serve(setPortal, operator, async ({ params, body, app, event }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  const base_url = serviceUrl(app, event);
  const portal = await editPortal(app.table, product, (before) => changePortal(before, { ...body, base_url }));
  return portalSettingsView(portal, product, mailFrom(app) !== null);
});
