import { fail } from '../contract/errors';
import { listProducts } from '../contract/products';
import { permits } from '../contract/scopes';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import { countExpiringSoon } from '../store/licenses/expiry';
import * as store from '../store/products';
import { readNumbersInList } from '../store/stats/deployment';
import { showListedProduct } from '../use-cases/product-secrets';

export const handler = serve(listProducts, operator, async ({ query, app, actor, now }) => {
  if (query.include && !permits(actor.scopes, 'read'))
    return fail('forbidden', `include=${query.include} needs a token with the scope read`);
  const { products, unreadable, next } = await store.listProductsSeen(
    app.table,
    actor.product_id,
    Number(query.cursor ?? 0),
    pageLimit(query.limit),
  );
  const ids = products.map(({ id }) => id);
  const numbersOf = query.include === 'numbers' ? await readNumbersInList(app.table, ids, now) : undefined;
  const expiring = query.include === 'expiring' ? await countExpiringSoon(app.table, ids, now) : undefined;
  const views = (await Promise.all(products.map((product) => showListedProduct(app, product)))).filter((view) => view !== undefined);
  return pageOf(
    views,
    next,
    ({ id }) => id,
    (view) => ({ ...view, ...(numbersOf && { numbers: numbersOf(view.id) }), ...(expiring && { expiring: expiring.get(view.id) }) }),
    unreadable + products.length - views.length,
  );
});
