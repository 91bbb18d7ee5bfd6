import { createProduct } from '../contract/products';
import { newProduct, productView } from '../domain/product';
import * as products from '../store/products';
import { operator, serve } from '../runtime/http';

export const handler = serve(createProduct, operator, async ({ body, app, now, storeResponse }) => {
  const seal = await app.secrets.sealer('signing_seed', 'api_key', 'webhook_secret');
  const { product, seeds, apiKey } = newProduct({ id: await products.nextProductId(app.table), ...body }, seal, app.random, now);
  const view = productView(product, apiKey);
  return (await products.createProduct(app.table, product, seeds, storeResponse(view))) ?? view;
});
