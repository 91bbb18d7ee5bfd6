import { fail } from '../contract/errors';
import { getMailSettings } from '../contract/mail';
import { mailSettings } from '../domain/mail-settings';
import { operator, serve } from '../runtime/http';
import { getProduct } from '../store/products';

export const handler = serve(getMailSettings, operator, async ({ params, app }) => {
  const product = await getProduct(app.table, params.id);
  return product ? mailSettings(product) : fail('not_found', 'There is no such product');
});
