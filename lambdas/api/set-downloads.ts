import { isFailure } from '../contract/errors';
import { setDownloads } from '../contract/releases';
import { operator, serve } from '../runtime/http';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(setDownloads, operator, async ({ params, body, app }) => {
  const change = await editProduct(app.table, params.id, ({ product }) => ({ product: { ...product, downloads: body.access } }));
  return isFailure(change) || change === RESPONSE_EXISTS ? change : { access: change.product.downloads };
});
