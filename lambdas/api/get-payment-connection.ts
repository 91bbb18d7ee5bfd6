import { fail } from '../contract/errors';
import { getPaymentConnection } from '../contract/payments';
import { operator, serve } from '../runtime/http';
import { getConnection } from '../store/payments/connections';
import { showConnection } from '../use-cases/payments/show';

export const handler = serve(getPaymentConnection, operator, async ({ params, app, event }) => {
  const connection = await getConnection(app.table, params.id);
  return connection ? showConnection(app, event, connection) : fail('not_found', 'There is no such payment connection');
});
