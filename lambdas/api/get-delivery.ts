import { fail } from '../contract/errors';
import { getDelivery } from '../contract/webhooks';
import { showDelivery } from '../use-cases/show-delivery';
import { operator, serve } from '../runtime/http';
import * as events from '../store/events/record';

export const handler = serve(getDelivery, operator, async ({ params, app }) => {
  const delivery = await events.getDelivery(app.table, params.event_id);
  return delivery ? showDelivery(app, delivery) : fail('not_found', 'There is no such delivery');
});
