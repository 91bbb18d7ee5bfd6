import { fail, isFailure } from '../contract/errors';
import { updatePaymentConnection } from '../contract/payments';
import { serve } from '../runtime/http/serve';
import { getConnection, replaceConnection } from '../store/payments/connections';
import { withSettings } from '../use-cases/payments/settings';
import { showConnection } from '../use-cases/payments/show';

/** Maximum tries to change a connection that others change at the same moment. */
const MAX_RACES = 5;

export const handler = serve(updatePaymentConnection, async ({ params, body, app, event, now }) => {
  for (let races = 0; races < MAX_RACES; races += 1) {
    const connection = await getConnection(app.table, params.id);
    if (!connection) return fail('not_found', 'There is no such payment connection');
    const changed = await withSettings(app, connection, body, now);
    if (isFailure(changed)) return changed;
    if (await replaceConnection(app.table, connection, changed)) return showConnection(app, event, changed);
  }
  return fail('unavailable');
});
