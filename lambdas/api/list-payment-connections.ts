import { fail } from '../contract/errors';
import { listPaymentConnections } from '../contract/payments';
import { Page } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import { listConnections } from '../store/payments/connections';
import { getProduct } from '../store/products';
import { showListedConnection } from '../use-cases/payments/show';

export const handler = serve(listPaymentConnections, operator, async ({ params, app, event }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const { entities, unreadable } = await listConnections(app.table, params.id);
  const views = (await Promise.all(entities.map((connection) => showListedConnection(app, event, connection)))).filter(
    (view) => view !== undefined,
  );
  return new Page(views, undefined, unreadable + entities.length - views.length);
});
