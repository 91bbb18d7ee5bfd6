import { fail } from '../contract/errors';
import { getDownloads } from '../contract/releases';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';

export const handler = serve(getDownloads, operator, async ({ params, app }) => {
  const product = await getProduct(app.table, params.id);
  return product ? { access: product.downloads } : fail('not_found', 'There is no such product');
});
