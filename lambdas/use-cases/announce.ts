import { KEY_MAILED } from '../contract/events';
import type { Event } from '../domain/event';
import { isPosted, type Product } from '../domain/product';
import type { App } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { count } from '../runtime/observability/metrics';
import { getProduct } from '../store/products';
import type { TimeLimits } from '../store/table';

/**
 * Counts events that were committed, and starts their delivery. Never fails.
 *
 * Events that the product's webhook is not sent get no message: the sweeper settles many of those together, and
 * decides about each on the product as it is by then. A product that this function knows may have got its webhook
 * meanwhile, so it is read again before an event is left to the sweeper: that costs a hundredth of a message.
 *
 * @param read the product, if it was read for this very request
 */
export async function announce(app: App, events: readonly Pick<Event, 'id' | 'product_id' | 'event'>[], read?: Product): Promise<void> {
  for (const { event } of events) if (event !== KEY_MAILED) count(event);
  const wanted = await Promise.all(events.map(async (event) => event.event === KEY_MAILED || isWanted(app, event, read)));
  const posted = events.filter((_, index) => wanted[index]);
  if (posted.length > 0) await app.notify(posted);
}

/** How long a request waits for the product after its commit, in ms. */
const READ_LIMIT_MS = 1000;

function shortly({ table }: App): TimeLimits {
  const now = table.clock();
  const deadline = Math.min(now + READ_LIMIT_MS, table.limits?.deadline ?? Number.POSITIVE_INFINITY);
  return { retryUntil: deadline, deadline };
}

/** Whether the product's webhook is sent the event. If in doubt it is: the delivery decides again. */
async function isWanted(app: App, { product_id, event }: Pick<Event, 'product_id' | 'event'>, read: Product | undefined): Promise<boolean> {
  if (read) return isPosted(read, event);
  const known = app.products.get(product_id);
  if (!known?.isFresh || isPosted(known.product, event)) return true;
  try {
    const product = await getProduct(app.within(shortly(app)).table, product_id);
    return product ? isPosted(app.products.put(product).product, event) : true;
  } catch (error) {
    log.warn('PRODUCT_NOT_READ', { product_id }, error);
    return true;
  }
}
