import type { Event } from '../domain/event';
import type { App } from '../runtime/app';
import { count } from '../runtime/observability/metrics';

/** Reports events that were committed: counts them, and wakes their delivery. Never fails. */
export async function announce(app: App, events: readonly Pick<Event, 'id' | 'event'>[]): Promise<void> {
  for (const { event } of events) count(event);
  await Promise.all(events.map((event) => app.notify(event)));
}
