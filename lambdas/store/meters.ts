import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { MeterView } from '../contract/resources';
import { effectiveMeters, type License } from '../domain/license';
import { lookupKey } from '../domain/license-key';
import { meterStateSchema, type MeterState, type MeterWrite } from '../domain/meters';
import { DAY_MS } from '../domain/time';
import type { Transition } from '../domain/transition';
import type { Item } from './codec';
import { getItem, getItems, queryAll, wholePartition } from './items';
import { meterIdKey, meterKey, UNCOUNTED_METERS, type Key } from './keys';
import { readRow } from './row';
import type { Table } from './table';
import { create, type Action } from './transaction';
import { json, number, type Stored } from '../domain/stored';

/** What was consumed from the meters of licenses, and the ids of consumptions. */

export const toMeter = (item: Item): MeterState | undefined => (isMoved(item) ? undefined : readRow(meterStateSchema, item));

/** Whether the row only shows that the license was moved to another key. Nothing can be counted in such a row. */
const isMoved = (item: Item): boolean => item['moved'] === true;

const rowKey = ({ product_id, key }: Pick<License, 'product_id' | 'key'>, name: string): Key =>
  meterKey(product_id, lookupKey(key) ?? '', name);

/** What was consumed from each of the license's meters, by the name of the meter. */
export async function readMeters(table: Table, license: License): Promise<ReadonlyMap<string, MeterState>> {
  return (await readMetersOf(table, [license])).get(license.id) ?? new Map<string, MeterState>();
}

/** What was consumed from the meters of several licenses, by the id of the license and the name of the meter. */
export async function readMetersOf(
  table: Table,
  licenses: readonly License[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, MeterState>>> {
  const wanted = licenses.flatMap((license) =>
    effectiveMeters(license).map(({ name }) => ({ id: license.id, name, key: rowKey(license, name) })),
  );
  const items = await getItems(
    table,
    wanted.map(({ key }) => key),
  );
  const found = new Map<number, Map<string, MeterState>>();
  for (const [place, { id, name }] of wanted.entries()) {
    const item = items[place];
    const state = item && toMeter(item);
    if (state) found.set(id, (found.get(id) ?? new Map<string, MeterState>()).set(name, state));
  }
  return found;
}

/** The prefix of the fields with what was consumed on a day and is not in the statistics yet. */
export const UNCOUNTED = 'uncounted_';

/**
 * The action that writes what was consumed. It fails if the amount no longer fits, if another request has begun a later period, if the terms
 * of the meter were changed since the license was read, or if the license was moved to another key.
 *
 * @param consumedOn the day in whose statistics the change counts; undefined for a correction
 */
export function writeMeter(license: License, { reading, used, reported, fits }: MeterWrite, consumedOn?: string): Action {
  const { generation, begins } = reading;
  const Key = rowKey(license, reading.terms.name);
  const change = used - reading.used;
  // What was consumed is added to the statistics later (`countMeters`). Until then, an index lists the row.
  const counts = consumedOn !== undefined && change !== 0;
  const counting = counts ? ', pending_pk = :pending, pending_sk = :product ADD #uncounted :change' : '';
  const uncounted = counts && { '#uncounted': `${UNCOUNTED}${consumedOn}` };
  const toCount = counts && { ':pending': UNCOUNTED_METERS, ':product': String(license.product_id), ':change': change };
  const read = { ':generation': generation, ':begins': begins, ':sequence': license.sequence };
  const sameTerms = '(attribute_not_exists(terms_sequence) OR terms_sequence <= :sequence)';
  const names = { '#used': 'used', ...uncounted };
  if (reading.isNew)
    return {
      Update: {
        Key,
        UpdateExpression:
          'SET version = :version, generation = :generation, begins = :begins, #used = :used, reported = :reported' + counting,
        ConditionExpression: `attribute_not_exists(pk) OR (${sameTerms} AND (generation < :generation OR (generation = :generation AND begins < :begins)))`,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ...read, ...toCount, ':version': 1, ':used': used, ':reported': reported },
      },
    };
  const isSame = `generation = :generation AND begins = :begins AND ${sameTerms}`;
  if (fits === 'as read')
    return {
      Update: {
        Key,
        UpdateExpression: 'SET #used = :used, reported = :reported' + counting,
        ConditionExpression: `${isSame} AND #used = :read AND reported = :readReported`,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: {
          ...read,
          ...toCount,
          ':used': used,
          ':reported': reported,
          ':read': reading.used,
          ':readReported': reading.reported,
        },
      },
    };
  return {
    Update: {
      Key,
      UpdateExpression: 'SET #used = #used + :change' + counting,
      ConditionExpression: `${isSame} AND #used BETWEEN :from AND :to`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ...read, ...toCount, ':change': change, ':from': fits.from, ':to': fits.to },
    },
  };
}

/**
 * The actions that record in the rows of meters that their terms have changed. A request that read the license before the change cannot
 * count afterwards by the old terms. An ordinary consumption needs no further row for this, so the change of the terms bears the cost.
 */
export function changeMeterTerms({ before, after }: Pick<Transition, 'before' | 'after'>): Action[] {
  const present = new Set(effectiveMeters(after).map((terms) => JSON.stringify(terms)));
  return effectiveMeters(before)
    .filter((terms) => !present.has(JSON.stringify(terms)))
    .map(({ name }) => ({
      Update: {
        Key: rowKey(after, name),
        // A meter without a row gets the row of a meter from which nothing was consumed.
        UpdateExpression:
          'SET terms_sequence = :sequence, version = if_not_exists(version, :version), generation = if_not_exists(generation, :generation), ' +
          'begins = if_not_exists(begins, :none), #used = if_not_exists(#used, :none), reported = if_not_exists(reported, :none)',
        ExpressionAttributeNames: { '#used': 'used' },
        ExpressionAttributeValues: {
          ':sequence': after.sequence,
          ':version': 1,
          ':generation': before.meter_changes[name]?.generation ?? 0,
          ':none': 0,
        },
      },
    }));
}

/** Maximum number of meters that move with a license to its new key. Meters that the license no longer has come last. */
const MAX_MOVED = 30;

/**
 * The actions that move the meters of a license to its new key. Under the old key a marker stays for each meter, so that a request that has
 * read the license under its old key cannot count there.
 */
export async function moveMeters(table: Table, { before, after }: Transition): Promise<Action[]> {
  const items = await queryAll(table, wholePartition(rowKey(before, '').pk));
  const rows = new Map(items.map((item) => [String(item['sk']), item]));
  const names = [...new Set([...effectiveMeters(before).map(({ name }) => name), ...rows.keys()])].slice(0, MAX_MOVED);
  return names.flatMap((name) => {
    const row = rows.get(name);
    const marker = { ...rowKey(before, name), version: 1, moved: true };
    if (!row) return [create(marker)];
    const state = toMeter(row);
    if (!state) return [];
    return [
      {
        Put: {
          Item: marker,
          ConditionExpression: 'generation = :generation AND begins = :begins AND #used = :used AND reported = :reported',
          ExpressionAttributeNames: { '#used': 'used' },
          ExpressionAttributeValues: {
            ':generation': state.generation,
            ':begins': state.begins,
            ':used': state.used,
            ':reported': state.reported,
          },
        },
      },
      create({ ...row, ...rowKey(after, name) }),
    ];
  });
}

/** The actions that remove the meters of a license that is removed. */
export const removeMeters = (license: License): Action[] =>
  effectiveMeters(license).map(({ name }): Action => ({ Delete: { Key: rowKey(license, name) } }));

// ── Ids ─────────────────────────────────────────────────────────────────────────────────────────

/** How long an id is kept after its consumption. */
const KEPT_MS = 30 * DAY_MS;

/** A consumption, with the response to its first request. */
const consumptionSchema = z.object({ amount: number, response: json<MeterView>(), consumed_at: number });
export type Consumption = Omit<Stored<typeof consumptionSchema>, 'consumed_at'>;

/** The key of an id. The row contains only a hash of the id, because the app chooses the id. */
const idKey = (license: Pick<License, 'id'>, id: string): Key =>
  meterIdKey(license.id, createHash('sha256').update(id).digest('base64url'));

/** The consumption in the row of an id; undefined if the id is no longer kept. */
export function toConsumption(item: Item, now: number): Consumption | undefined {
  const { consumed_at, ...consumption } = readRow(consumptionSchema, item);
  return consumed_at <= now - KEPT_MS ? undefined : consumption;
}

/** Reads the consumption with this id. */
export async function findConsumption(table: Table, license: License, id: string, now: number): Promise<Consumption | undefined> {
  const item = await getItem(table, idKey(license, id));
  return item && toConsumption(item, now);
}

/** The action that records the id of a consumption. It fails if the id was used and is still kept. */
export const recordConsumption = (license: License, id: string, { amount, response }: Consumption, now: number): Action => ({
  Put: {
    Item: {
      ...idKey(license, id),
      version: 1,
      amount,
      response: JSON.stringify(response),
      consumed_at: now,
      ttl: Math.ceil((now + KEPT_MS) / 1000),
    },
    ConditionExpression: 'attribute_not_exists(pk) OR consumed_at <= :edge',
    ExpressionAttributeValues: { ':edge': now - KEPT_MS },
  },
});
