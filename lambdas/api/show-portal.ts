import { fail } from '../contract/errors';
import { showPortal } from '../contract/portal';
import { logoView, portalTitle, vendorLinks } from '../domain/portal/settings';
import { visitor, serve } from '../runtime/http';
import { getProduct } from '../store/products';

export const handler = serve(showPortal, visitor, async ({ app, portal }) => {
  const product = await getProduct(app.table, portal.product_id);
  if (!product) return fail('not_found', 'There is no such page');
  const { color, allow } = portal;
  const shown = { ...vendorLinks(portal), logo: logoView(portal), color, allow: [...allow] };
  return { product: product.name, title: portalTitle(portal, product), ...shown };
});
