import { listProducts } from '../contract/products';
import { productView } from '../domain/product';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { serve } from '../runtime/http/serve';
import * as store from '../store/products';

export const handler = serve(listProducts, async ({ query, app }) => {
  const key = await app.secrets.sealingKey();
  const { products, more } = await store.listProducts(app.table, Number(query.cursor ?? 0), pageLimit(query.limit));
  return pageOf(
    products,
    more ? products.at(-1)?.id : undefined,
    ({ id }) => id,
    (product) => productView(product, key),
  );
});
