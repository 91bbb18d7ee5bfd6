import type { Channel, DeliveryStatus, LoggedEvent } from '../../contract/events';
import type { Delivery } from '../../domain/delivery';
import type { Event } from '../../domain/event';
import { eventKey, eventList, eventPosition, licenseEvents, type Key } from '../keys';
import { readRows } from '../row';
import { getItems, queryPages } from '../items';
import type { Item } from '../codec';
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
  const found: Key[] = [];
  let scanned = before;
  let rowsRead = 0;
  let end: 'list' | 'limit' | 'budget' = 'list';
  const query = {
    IndexName: 'list',
    ScanIndexForward: false,
    KeyConditionExpression: before === undefined ? 'list_pk = :list' : 'list_pk = :list AND list_sk < :before',
    ExpressionAttributeValues: { ':list': eventList(productId), ...(before !== undefined && { ':before': before }) },
    Limit: isIndexFiltered ? undefined : candidates + 1,
  };
  scan: for await (const page of queryPages(table, query, candidates + 1)) {
    for (const item of page) {
      if (oldest !== undefined && (item['list_sk'] as string) < oldest) break scan;
      if (matches(item)) {
        if (found.length === candidates) {
          end = 'limit';
          break scan;
        }
        found.push({ pk: item['pk'] as string, sk: item['sk'] as string });
      }
      scanned = item['list_sk'] as string;
    }
    rowsRead += page.length;
    if (rowsRead >= maxRows) {
      end = 'budget';
      break;
    }
  }
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
  return { deliveries, unreadable, ...(end !== 'list' && scanned !== undefined && { next: scanned }) };
}

/** Lists up to `limit` events of a license that are older than the position `before`, newest first. */
export async function listLicenseEvents(table: Table, licenseId: number, before: string | undefined, limit: number): Promise<DeliveryPage> {
  const items: Item[] = [];
  for await (const page of queryPages(table, {
    ScanIndexForward: false,
    KeyConditionExpression: before === undefined ? 'pk = :pk' : 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': licenseEvents(licenseId), ...(before !== undefined && { ':before': before }) },
    Limit: limit + 1,
  })) {
    items.push(...page);
    if (items.length > limit) break;
  }
  const page = items.slice(0, limit);
  const { entities, unreadable } = readRows(page, toDelivery);
  const last = page.at(-1);
  return { deliveries: entities, unreadable, ...(items.length > limit && last && { next: String(last['sk']) }) };
}

/** The position of an event in its license's history. */
export const historyPosition = ({ id }: Pick<Event, 'id'>): string => eventKey(id).sk;
