import { listProducts } from '../contract/products';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { serve } from '../runtime/http/serve';
import * as store from '../store/products';
import { showListedProduct } from '../use-cases/product-secrets';

export const handler = serve(listProducts, async ({ query, app, actor }) => {
  const { products, unreadable, next } = await store.listProductsSeen(
    app.table,
    actor.product_id,
    Number(query.cursor ?? 0),
    pageLimit(query.limit),
  );
  const views = (await Promise.all(products.map((product) => showListedProduct(app, product)))).filter((view) => view !== undefined);
  return pageOf(
    views,
    next,
    ({ id }) => id,
    (view) => view,
    unreadable + products.length - views.length,
  );
});
