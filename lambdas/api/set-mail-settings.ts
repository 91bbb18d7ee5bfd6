import { isFailure } from '../contract/errors';
import { setMailSettings } from '../contract/mail';
import { mailSettings } from '../domain/key-mail';
import { serve } from '../runtime/http/serve';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(setMailSettings, async ({ params, body, app }) => {
  // A given field replaces the stored one; null restores the default.
  const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  const edited = await editProduct(app.table, params.id, ({ product }) => ({
    product: {
      ...product,
      mail: Object.fromEntries(Object.entries({ ...product.mail, ...changes }).filter(([, value]) => value !== null)),
    },
  }));
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : mailSettings(edited.product);
});
