import { listProducts } from '../contract/products';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { serve } from '../runtime/http/serve';
import * as store from '../store/products';
import { showProduct } from '../use-cases/product-secrets';

export const handler = serve(listProducts, async ({ query, app, actor }) => {
  const { products, next } = await store.listProductsSeen(app.table, actor.product_id, Number(query.cursor ?? 0), pageLimit(query.limit));
  const views = await Promise.all(products.map((product) => showProduct(app, product)));
  return pageOf(
    views,
    next,
    ({ id }) => id,
    (view) => view,
  );
});
