import { createProduct } from '../contract/products';
import { newProduct, productView } from '../domain/product';
import * as products from '../store/products';
import { serve } from '../runtime/http/serve';

export const handler = serve(createProduct, async ({ body, app, now, storeResponse }) => {
  const key = await app.secrets.sealingKey();
  const product = newProduct({ id: await products.nextProductId(app.table), ...body }, key, app.random, now);
  const view = productView(product, key);
  return (await products.createProduct(app.table, product, storeResponse(view))) ?? view;
});
