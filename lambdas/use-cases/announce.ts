import { isMail } from '../contract/events';
import type { Event } from '../domain/event';
import { isPosted, type Product } from '../domain/product';
import type { App } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { count } from '../runtime/observability/metrics';
import { getProduct } from '../store/products';
import type { TimeLimits } from '../store/table';

/**
 * Counts committed events of one product and starts their delivery. Never fails. Events that are not sent to the product's webhook get no
 * queue message: the sweeper settles many of them together, and decides with the product's settings at that time. A product in this
 * function's cache may have received a webhook in the meantime. The product is therefore read again before an event is left to the sweeper,
 * unless this request has read it.
 *
 * @param read the product, if this request has read it
 */
export async function announce(app: App, events: readonly Pick<Event, 'id' | 'product_id' | 'event'>[], read?: Product): Promise<void> {
  for (const { event } of events) if (!isMail(event)) count(event);
  const product = read ?? (await latestProduct(app, events));
  const posted = events.filter(({ event }) => isMail(event) || !product || isPosted(product, event));
  if (posted.length > 0) await app.notify(posted);
}

/** Maximum time, in ms, that a request waits for the product after its commit. */
const READ_LIMIT_MS = 1000;

function shortly({ table }: App): TimeLimits {
  const now = table.clock();
  const deadline = Math.min(now + READ_LIMIT_MS, table.limits?.deadline ?? Number.POSITIVE_INFINITY);
  return { retryUntil: deadline, deadline };
}

/**
 * The current product of the events. The product is read again if the webhook of the cached product would not receive all of the events.
 * The result is undefined if the decision is uncertain: all events then get a message, and the delivery decides again.
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
