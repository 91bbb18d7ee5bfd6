import { fail } from '../contract/errors';
import { reconcilePayments } from '../contract/payments';
import { operator, serve } from '../runtime/http';
import { getConnection } from '../store/payments/connections';
import { requestReconciliation } from '../store/payments/reconciliation';

export const handler = serve(reconcilePayments, operator, async ({ params, body, app, now }) => {
  const connection = await getConnection(app.table, params.id);
  if (!connection) return fail('not_found', 'There is no such payment connection');
  if (connection.api_key === null) return fail('invalid_request', "The connection has no api_key for the processor's API");
  app.table.audit?.describe({ product_id: connection.product_id });
  await requestReconciliation(app.table, connection.id, body.since ?? null, now);
  return { status: 'started' as const };
});
