import { fail } from '../contract/errors';
import { MAX_REDELIVERED, redeliverMany } from '../contract/webhooks';
import { DAY_MS } from '../domain/time';
import { serve } from '../runtime/http/serve';
import { notify } from '../runtime/sqs';
import { continueRedelivery, startRedelivery } from '../store/events/redelivery';
import { EVENT_DAYS } from '../store/events/rows';
import { getProduct } from '../store/products';

/** Maximum time that the request spends on the search for events, in ms. */
const SEARCH_MS = 10_000;
/** Maximum time after the search during which the request redelivers events, in ms. The sweeper redelivers the other events. */
const WORK_MS = 2000;
/** Time in ms after which the sweeper may continue the redelivery. Before that, the request may still be working on the redelivery. */
const OWN_MS = 20_000;

export const handler = serve(redeliverMany, async ({ params, body, app, now }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  const selection = {
    productId: product.id,
    status: body.status ?? 'failed',
    since: body.since ?? now - EVENT_DAYS * DAY_MS,
    until: body.until ?? Number.MAX_SAFE_INTEGER,
  };
  const started = await startRedelivery(app.table, selection, MAX_REDELIVERED, OWN_MS, now + SEARCH_MS);
  if (!started) return fail('unavailable', 'The period has too many other events to search at once: choose a shorter period');
  const { count, redelivery } = started;
  if (redelivery) await continueRedelivery(app.table, redelivery, (events) => notify(app, events), app.clock() + WORK_MS);
  return { count };
});
