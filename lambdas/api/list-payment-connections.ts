import { fail } from '../contract/errors';
import { listPaymentConnections } from '../contract/payments';
import { serve } from '../runtime/http/serve';
import { listConnections } from '../store/payments/connections';
import { getProduct } from '../store/products';
import { showConnection } from '../use-cases/payments/show';

export const handler = serve(listPaymentConnections, async ({ params, app, event }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const connections = await listConnections(app.table, params.id);
  return Promise.all(connections.map((connection) => showConnection(app, event, connection)));
});
