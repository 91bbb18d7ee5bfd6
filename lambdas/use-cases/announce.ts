import type { Event } from '../domain/event';
import type { App } from '../runtime/app';
import { count } from '../runtime/observability/metrics';

/** Tells of an event that was committed: to whoever watches the service, and to its delivery. Never fails. */
export async function announce(app: App, event: Pick<Event, 'id' | 'event'>): Promise<void> {
  count(event.event);
  await app.notify(event);
}
