import { fail } from '../contract/errors';
import { redeliver } from '../contract/webhooks';
import { tooManyKeyMails } from '../domain/key-mail';
import { showDelivery } from '../use-cases/show-delivery';
import { operator, serve } from '../runtime/http';
import { notify } from '../runtime/queue';
import { LIMIT_REACHED, redeliverEvent } from '../store/events/redelivery';

export const handler = serve(redeliver, operator, async ({ params, app }) => {
  const delivery = await redeliverEvent(app.table, params.event_id);
  if (!delivery) return fail('not_found', 'There is no such delivery');
  if (delivery === LIMIT_REACHED) return tooManyKeyMails();
  await notify(app, [delivery]);
  return showDelivery(app, delivery);
});
