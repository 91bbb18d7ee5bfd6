import { fail } from '../contract/errors';
import { redeliver } from '../contract/webhooks';
import { showDelivery } from '../use-cases/show-delivery';
import { serve } from '../runtime/http/serve';
import { redeliverEvent } from '../store/events/redelivery';

export const handler = serve(redeliver, async ({ params, app }) => {
  const delivery = await redeliverEvent(app.table, params.event_id);
  if (!delivery) return fail('not_found', 'There is no such delivery');
  await app.notify([delivery]);
  return showDelivery(app, delivery);
});
