import { fail } from '../contract/errors';
import { getDelivery } from '../contract/webhooks';
import { showDelivery } from '../runtime/show-delivery';
import { serve } from '../runtime/serve';
import * as events from '../store/events';

export const handler = serve(getDelivery, async ({ params, app }) => {
  const delivery = await events.getDelivery(app.table, params.event_id);
  return delivery ? showDelivery(app, delivery) : fail('not_found', 'There is no such delivery');
});
