import * as z from 'zod/mini';
import { audienceSince, finished, NO_AUDIENCE, withDevices, type Audience, type CountedAudience } from '../../domain/audience';
import type { Device } from '../../domain/license';
import { json, orNull, type Stored } from '../../domain/stored';
import { DAY_MS } from '../../domain/time';
import { audienceKey, DEVICE_PREFIX, licenseList } from '../keys';
import { getItem, getItems, keyOf, putItem, readPages } from '../items';
import { toDevice } from '../licenses/rows';
import { readRow, readRows } from '../row';
import type { Item } from '../codec';
import type { Table } from '../table';

/**
 * Counts the audience of products: reads the devices of a product from time to time, instead of counting their requests. Requests
 * therefore write nothing for it, and a device counts once whatever happened to it. (docs/decisions.md 145)
 */

/** Counting that is not finished. It continues after the position `after` in the list of licenses and devices. */
interface Progress {
  readonly started_at: number;
  readonly after: string;
  /** The epoch of the license whose devices follow. */
  readonly epoch: number;
  readonly rows: number;
  readonly audience: Audience;
}

/** The row of a product's audience. */
const audienceSchema = z.object({
  /** When the devices are to be read again, or counting is to continue. */
  due_at: z.number(),
  counted: orNull(json<CountedAudience>()),
  progress: orNull(json<Progress>()),
});
type AudienceRow = Stored<typeof audienceSchema>;
const NOT_COUNTED: AudienceRow = { due_at: 0, counted: null, progress: null };

const toItem = (productId: number, { due_at, counted, progress }: AudienceRow): Item => ({
  ...audienceKey(productId),
  version: 1,
  due_at,
  ...(counted && { counted: JSON.stringify(counted) }),
  ...(progress && { progress: JSON.stringify(progress) }),
});

const toRow = (item: Item): AudienceRow => readRow(audienceSchema, item);

/** The audience of a product as it was last counted; null if no device was counted yet. */
export async function readAudience(table: Table, productId: number): Promise<CountedAudience | null> {
  const item = await getItem(table, audienceKey(productId));
  return item ? toRow(item).counted : null;
}

/**
 * For each row that was read, the devices of a product are not read again for this time, in ms, but at least once a day. So the cost of a
 * product has a limit, and the numbers of a small product are never old.
 */
const PAUSE_PER_ROW = 100;
/** Number of rows of one product after which the other products that are due have their turn. */
const TURN = 20_000;
const PAGE = 1000;

/**
 * Counts the audience of the products whose devices are to be read again, the longest due first.
 *
 * @param isOver whether the time for this work has ended; the next run continues
 * @param onFault called for each product whose devices could not be counted; the next run tries it again
 */
export async function countAudiences(
  table: Table,
  productIds: readonly number[],
  isOver: () => boolean,
  onFault: (productId: number, fault: unknown) => void,
): Promise<void> {
  const items = await getItems(table, productIds.map(audienceKey));
  const due = productIds
    .map((id, place) => ({ id, item: items[place], dueAt: Number(items[place]?.['due_at'] ?? 0) }))
    .filter(({ dueAt }) => dueAt <= table.clock())
    .sort((a, b) => a.dueAt - b.dueAt);
  for (let next = due.shift(); next && !isOver(); next = due.shift()) {
    const { id, item } = next;
    try {
      const row = item ? toRow(item) : NOT_COUNTED;
      const after = await countTurn(table, id, row, isOver);
      const counted = toItem(id, after);
      const isEmpty = !after.progress && after.counted?.devices === 0 && !row.counted;
      if (!isEmpty) await putItem(table, { Item: counted });
      if (after.progress) due.push({ id, item: counted, dueAt: after.due_at });
    } catch (fault) {
      onFault(id, fault);
    }
  }
}

/** Reads the next devices of a product. */
async function countTurn(table: Table, productId: number, { counted, progress }: AudienceRow, isOver: () => boolean): Promise<AudienceRow> {
  const now = table.clock();
  const start = progress ?? { started_at: now, after: '', epoch: 0, rows: 0, audience: NO_AUDIENCE };
  const since = audienceSince(start.started_at);
  let { after, epoch, rows, audience } = start;
  for await (const { items, rowsRead, last } of readPages(table, {
    IndexName: 'list',
    KeyConditionExpression: 'list_pk = :list AND list_sk > :after',
    ExpressionAttributeValues: { ':list': licenseList(productId), ':after': after || ' ' },
    Limit: PAGE,
  })) {
    const bound: Item[] = [];
    for (const item of items) {
      if (!String(item['sk']).startsWith(DEVICE_PREFIX)) epoch = Number(item['epoch']);
      else if (item['epoch'] === epoch) bound.push(item);
    }
    audience = withDevices(audience, await readUsed(table, bound, since));
    rows += rowsRead;
    after = String(items.at(-1)?.['list_sk'] ?? after);
    if (last && (isOver() || rows - start.rows >= TURN))
      return { due_at: now, counted, progress: { started_at: start.started_at, after, epoch, rows, audience } };
  }
  return {
    due_at: now + Math.min(rows * PAUSE_PER_ROW, DAY_MS),
    counted: finished(audience, start.started_at),
    progress: null,
  };
}

/** The devices that still have a seat and were used since a day. A device whose row cannot be read does not count. */
async function readUsed(table: Table, bound: readonly Item[], since: string): Promise<readonly Device[]> {
  const items = await getItems(table, bound.map(keyOf), false);
  const present = items.filter((item, place) => item !== undefined && item['epoch'] === bound[place]?.['epoch']);
  const { entities } = readRows(present as readonly Item[], toDevice);
  return entities.filter(({ last_seen_on }) => last_seen_on !== null && last_seen_on >= since);
}
