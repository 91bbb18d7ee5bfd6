import { fail } from '../contract/errors';
import { getPortal } from '../contract/portal-settings';
import { portalSettingsView } from '../domain/portal/settings';
import { operator, serve } from '../runtime/http';
import { mailFrom } from '../runtime/mail/from';
import { getPortalOf } from '../store/portal/settings';
import { getProduct } from '../store/products';

export const handler = serve(getPortal, operator, async ({ params, app }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  return portalSettingsView(await getPortalOf(app.table, product), product, mailFrom(app) !== null);
});
