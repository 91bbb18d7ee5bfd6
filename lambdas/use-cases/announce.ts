import { KEY_MAILED } from '../contract/events';
import type { Event } from '../domain/event';
import { isPosted, type Product } from '../domain/product';
import type { App } from '../runtime/app';
import { count } from '../runtime/observability/metrics';

/**
 * Counts events that were committed, and starts their delivery. Never fails.
 *
 * Events that the product's webhook is not sent get no message: the sweeper settles many of those together, and
 * decides about each on the product as it is by then.
 *
 * @param product as it was read, at most a minute ago; unless given, the one that this function knows
 */
export async function announce(app: App, events: readonly Pick<Event, 'id' | 'product_id' | 'event'>[], product?: Product): Promise<void> {
  for (const { event } of events) if (event !== KEY_MAILED) count(event);
  const posted = events.filter(({ product_id, event }) => {
    const known = app.products.get(product_id);
    const latest = product ?? (known?.isFresh ? known.product : undefined);
    return event === KEY_MAILED || !latest || isPosted(latest, event);
  });
  if (posted.length > 0) await app.notify(posted);
}
