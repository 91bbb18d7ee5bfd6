import { isMail, type EventName } from '../contract/events';
import type { Event } from '../domain/event';
import { isPosted, type Product } from '../domain/product';
import type { App } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { count } from '../runtime/observability/metrics';
import { notify } from '../runtime/queue';
import { getProduct } from '../store/products';
import type { TimeLimits } from '../store/table';

/**
 * Counts committed events in the metrics, and starts the delivery of pending events. This function never fails. It sends no queue message
 * for an event that was recorded as `skipped`: such an event is not delivered, and the sweeper later adds it to the statistics.
 */
export async function announce(app: App, events: readonly Pick<Event, 'id' | 'product_id' | 'event' | 'status'>[]): Promise<void> {
  for (const { event } of events) if (!isMail(event)) count(event);
  const pending = events.filter(({ status }) => status === 'pending');
  if (pending.length > 0) await notify(app, pending);
}

/** Maximum time, in ms, for which a change of a license waits until its product is read. */
const READ_LIMIT_MS = 1000;

function shortly({ table }: App): TimeLimits {
  const now = table.realClock();
  const deadline = Math.min(now + READ_LIMIT_MS, table.limits?.deadline ?? Number.POSITIVE_INFINITY);
  return { retryUntil: deadline, deadline };
}

/**
 * Reads the product again before a change is committed, if the cached product has no webhook that receives all events of the change. The
 * reason: another request may have set such a webhook since the product was cached. If the result is undefined, the product was not read.
 * The events are then recorded as pending, and the delivery checks the webhook.
 */
export async function readReceiver(
  app: App,
  { product_id: id }: Pick<Event, 'product_id'>,
  occurrences: readonly { readonly event: EventName }[],
): Promise<Product | undefined> {
  const known = app.products.get(id);
  if (!known?.isFresh || occurrences.every(({ event }) => isPosted(known.product, event))) return undefined;
  try {
    const product = await getProduct(app.within(shortly(app)).table, id);
    return product && app.products.put(product).product;
  } catch (error) {
    log.warn('PRODUCT_NOT_READ', { product_id: id }, error);
    return undefined;
  }
}
