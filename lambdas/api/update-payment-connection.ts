import { fail, isFailure } from '../contract/errors';
import { updatePaymentConnection } from '../contract/payments';
import { operator, serve } from '../runtime/http';
import { getConnection, replaceConnection } from '../store/payments/connections';
import { retry, TRY_AGAIN } from '../store/retry';
import { withSettings } from '../use-cases/payments/settings';
import { showConnection } from '../use-cases/payments/show';

export const handler = serve(updatePaymentConnection, operator, ({ params, body, app, event, now }) =>
  retry(app.table, 'The payment connection', async () => {
    const connection = await getConnection(app.table, params.id);
    if (!connection) return fail('not_found', 'There is no such payment connection');
    const changed = await withSettings(app, connection, body, now);
    if (isFailure(changed)) return changed;
    return (await replaceConnection(app.table, connection, changed)) ? showConnection(app, event, changed) : TRY_AGAIN;
  }),
);
