import { fail } from '../contract/errors';
import { createPortalLogoUpload } from '../contract/portal-settings';
import { LOGO_TYPE, logoUploadKey } from '../domain/portal/logo';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';
import { signedUpload } from '../use-cases/uploads';

export const handler = serve(createPortalLogoUpload, operator, async ({ params, body: { size, sha256 }, app, now }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  return { upload: await signedUpload(app, { key: logoUploadKey(product.slug, sha256), size, sha256, contentType: LOGO_TYPE }, now) };
});
