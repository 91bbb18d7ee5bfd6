import { fail } from '../contract/errors';
import { showPortal } from '../contract/portal';
import { portalTitle, vendorLinks } from '../domain/portal/settings';
import { visitor, serve } from '../runtime/http';
import { getProduct } from '../store/products';

export const handler = serve(showPortal, visitor, async ({ app, portal }) => {
  const product = await getProduct(app.table, portal.product_id);
  if (!product) return fail('not_found', 'There is no such page');
  const { color, allow } = portal;
  return { product: product.name, title: portalTitle(portal, product), ...vendorLinks(portal), color, allow: [...allow] };
});
