import { isFailure } from '../contract/errors';
import { updateProduct } from '../contract/products';
import { operator, serve } from '../runtime/http';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';
import { showProduct } from '../use-cases/product-secrets';

export const handler = serve(updateProduct, operator, async ({ params, body, app }) => {
  const edited = await editProduct(app.table, params.id, ({ product }) => ({
    product: {
      ...product,
      name: body.name ?? product.name,
      list_devices: body.list_devices ?? product.list_devices,
      trials_per_hour: body.trials_per_hour ?? product.trials_per_hour,
    },
  }));
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : showProduct(app, edited.product);
});
