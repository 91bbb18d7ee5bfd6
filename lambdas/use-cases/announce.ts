import { isMail } from '../contract/events';
import type { Event } from '../domain/event';
import { isPosted, type Product } from '../domain/product';
import type { App } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { count } from '../runtime/observability/metrics';
import { getProduct } from '../store/products';
import type { TimeLimits } from '../store/table';

/**
 * Counts committed events of one product and starts their delivery. Never fails. Events that are not posted to the
 * product's webhook get no message: the sweeper settles many of them together, and decides with the then current
 * product. A product in this function's cache may have got a webhook in the meantime, so it is read again before an
 * event is left to the sweeper: that costs a hundredth of a message.
 *
 * @param read the product, if it was read for this very request
 */
export async function announce(app: App, events: readonly Pick<Event, 'id' | 'product_id' | 'event'>[], read?: Product): Promise<void> {
  for (const { event } of events) if (!isMail(event)) count(event);
  const product = read ?? (await latestProduct(app, events));
  const posted = events.filter(({ event }) => isMail(event) || !product || isPosted(product, event));
  if (posted.length > 0) await app.notify(posted);
}

/** How long a request waits for the product after its commit, in ms. */
const READ_LIMIT_MS = 1000;

function shortly({ table }: App): TimeLimits {
  const now = table.clock();
  const deadline = Math.min(now + READ_LIMIT_MS, table.limits?.deadline ?? Number.POSITIVE_INFINITY);
  return { retryUntil: deadline, deadline };
}

/**
 * The product of the events. It is read again if the cached one would not post all of them. Undefined if in doubt: then
 * all events get a message, and the delivery decides again.
 */
async function latestProduct(app: App, events: readonly Pick<Event, 'product_id' | 'event'>[]): Promise<Product | undefined> {
  const changes = events.filter(({ event }) => !isMail(event));
  const [first] = changes;
  const known = first && app.products.get(first.product_id);
  if (!known?.isFresh || changes.every(({ event }) => isPosted(known.product, event))) return undefined;
  const { id } = known.product;
  try {
    const product = await getProduct(app.within(shortly(app)).table, id);
    return product && app.products.put(product).product;
  } catch (error) {
    log.warn('PRODUCT_NOT_READ', { product_id: id }, error);
    return undefined;
  }
}
