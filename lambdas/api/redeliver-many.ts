import { fail } from '../contract/errors';
import { MAX_REDELIVERED, redeliverMany } from '../contract/webhooks';
import { DAY_MS } from '../domain/time';
import { operator, serve } from '../runtime/http';
import { notify } from '../runtime/queue';
import { continueRedelivery, startRedelivery } from '../store/events/redelivery';
import { EVENT_DAYS } from '../store/events/rows';
import { getProduct } from '../store/products';

/** Maximum time, in ms, for which the request searches for events. */
const SEARCH_MS = 10_000;
/** Maximum time, in ms, for which the request redelivers events after the search. The sweeper redelivers the remaining events. */
const WORK_MS = 2000;
/**
 * Minimum delay, in ms, before the sweeper continues the redelivery. The delay is long enough for the request to end first, so that the
 * request and the sweeper do not work on the same redelivery.
 */
const OWN_MS = 20_000;

export const handler = serve(redeliverMany, operator, async ({ params, body, app, now }) => {
  const product = await getProduct(app.table, params.id);
  if (!product) return fail('not_found', 'There is no such product');
  const selection = {
    productId: product.id,
    status: body.status ?? 'failed',
    since: body.since ?? now - EVENT_DAYS * DAY_MS,
    until: body.until ?? Number.MAX_SAFE_INTEGER,
  };
  const started = await startRedelivery(app.table, selection, MAX_REDELIVERED, OWN_MS, app.realClock() + SEARCH_MS);
  if (!started)
    return fail('unavailable', 'The period contains too many events with other statuses for one search: choose a shorter period');
  const { count, redelivery } = started;
  if (redelivery) await continueRedelivery(app.table, redelivery, (events) => notify(app, events), app.realClock() + WORK_MS);
  return { count };
});
