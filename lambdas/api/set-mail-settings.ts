import { isFailure } from '../contract/errors';
import { setMailSettings } from '../contract/mail';
import { changeMailSettings, mailSettings } from '../domain/mail-settings';
import { operator, serve } from '../runtime/http';
import { serviceUrl } from '../runtime/http/service-url';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(setMailSettings, operator, async ({ params, body, app, event, now }) => {
  const baseUrl = serviceUrl(app, event);
  const edited = await editProduct(app.table, params.id, ({ product }) => ({
    product: { ...product, mail: changeMailSettings(product.mail, body, baseUrl, now) },
  }));
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : mailSettings(edited.product);
});
