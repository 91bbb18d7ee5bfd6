import type { Channel, DeliveryStatus, LoggedEvent } from '../../contract/events';
import type { Delivery } from '../../domain/delivery';
import type { Event } from '../../domain/event';
import { eventKey, eventList, eventPosition, licenseEvents } from '../keys';
import { readRows } from '../row';
import { getItems, keyOf } from '../items';
import type { Item } from '../codec';
import { END, newestFirst, scanPage } from '../scan';
import type { Table } from '../table';
import { toDelivery } from './rows';

/** The delivery log: the events of a product or of a license. */

/** Maximum number of index rows that one call reads, so that the call returns in time even if few rows match the filter. */
const MAX_INDEX_ROWS = 20_000;

/** The position of an event in its product's delivery log. */
export const logPosition = ({ created_at, id }: Pick<Event, 'created_at' | 'id'>): string => eventPosition(created_at, id);

/**
 * Maximum number of events that one call reads to filter by the event's name. The index does not contain the name, so the row of each event
 * must be read.
 */
const MAX_NAMES_READ = 1000;

/** The filters of the delivery log. An event must match all filters that are given. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly channel?: Channel | undefined;
  readonly event?: LoggedEvent | undefined;
  /** The period in which the event was created, in epoch ms: `created_after` is included, `created_before` is not. */
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** Number of rows that the page leaves out, because this version cannot read them. */
  readonly unreadable: number;
  readonly next?: string;
}

/** Lists up to `limit` events of a product that are older than the position `past`, newest first. */
export async function listDeliveries(
  table: Table,
  productId: number,
  { status, channel, event, created_after, created_before }: DeliveryFilter,
  past: string | undefined,
  limit: number,
  maxRows = MAX_INDEX_ROWS,
): Promise<DeliveryPage> {
  const isIndexFiltered = status !== undefined || channel !== undefined;
  const candidates = event === undefined ? limit : Math.max(limit, MAX_NAMES_READ);
  const oldest = created_after === undefined ? undefined : eventPosition(created_after);
  const [before] = [past, created_before === undefined ? undefined : eventPosition(created_before)]
    .filter((bound) => bound !== undefined)
    .sort();
  const matches = (item: Item): boolean =>
    (status === undefined || item['status'] === status) && (channel === undefined || (item['channel'] ?? 'webhook') === channel);
  const { entries: found, last: scanned } = await scanPage(
    table,
    { ...newestFirst(eventList(productId), before, 'list'), ...(!isIndexFiltered && { Limit: candidates + 1 }) },
    {
      keep: (item) => {
        if (oldest !== undefined && (item['list_sk'] as string) < oldest) return END;
        return matches(item) ? keyOf(item) : undefined;
      },
      limit: candidates,
      budget: maxRows,
      first: candidates + 1,
    },
  );
  const items = await getItems(table, found);
  const { entities, unreadable } = readRows(
    items.filter((item) => item !== undefined),
    toDelivery,
  );
  const matching = entities.filter(
    (delivery) => (status === undefined || delivery.status === status) && (event === undefined || delivery.event === event),
  );
  const deliveries = matching.slice(0, limit);
  const last = deliveries.at(-1);
  if (matching.length > limit && last) return { deliveries, unreadable, next: logPosition(last) };
  return { deliveries, unreadable, ...(scanned && { next: String(scanned['list_sk']) }) };
}

/** Lists up to `limit` events of a license that are older than the position `before`, newest first. */
export async function listLicenseEvents(table: Table, licenseId: number, before: string | undefined, limit: number): Promise<DeliveryPage> {
  const query = { ...newestFirst(licenseEvents(licenseId), before), ConsistentRead: false, Limit: limit + 1 };
  const { entries, last } = await scanPage(table, query, { keep: (item) => item, limit });
  const { entities, unreadable } = readRows(entries, toDelivery);
  return { deliveries: entities, unreadable, ...(last && { next: String(last['sk']) }) };
}

/** The position of an event in its license's history. */
export const historyPosition = ({ id }: Pick<Event, 'id'>): string => eventKey(id).sk;
