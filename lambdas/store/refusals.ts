import { REFUSALS } from '../contract/limits';
import { placeRefusal, refusalSchema, type Refusal, type RefusalPlace, type Refused } from '../domain/refusal';
import { refusalKey, refusalsOf } from './keys';
import { readRow, readRows, type Readable } from './row';
import { deleteItem, keyOf, putItem, queryAll, queryPages, wholePartition } from './items';
import type { Item } from './codec';
import type { Table } from './table';

/**
 * Refused requests of apps. Each license has a limited number of slots for its refused requests. In addition, each product has a limited
 * number of slots for refused requests whose license key is unknown, in several groups (see `REFUSALS`). Each slot is a row.
 */

/** What refused requests are about: a license or, if `license_id` is null, unknown license keys that were sent to the product. */
export type RefusalSubject = Pick<Refused, 'product_id' | 'license_id'>;

/** `version` in a row is the version of the row format, so the app's version is stored as `app_version`. */
const toItem = (subject: RefusalSubject, { version: app_version, ...refusal }: Refusal): Item => ({
  ...refusalKey(subject, refusal.slot),
  version: 1,
  app_version,
  ...refusal,
  ttl: Math.ceil((refusal.last_at + REFUSALS.keptMs) / 1000),
});

const toRefusal = (item: Item): Refusal => readRow(refusalSchema, { ...item, version: item['app_version'] as unknown });

/** Reads all refused requests about a license, or all refused requests to a product with unknown license keys, in no particular order. */
export const readRefusals = async (table: Table, subject: RefusalSubject): Promise<Readable<Refusal>> =>
  readRows(await queryAll(table, wholePartition(refusalsOf(subject))), toRefusal);

/**
 * Reads the rows of one group, without their order. The read is eventually consistent, which halves its cost. A row that the read misses
 * makes the condition of the write fail.
 */
async function readGroup(table: Table, subject: RefusalSubject, { first, last }: RefusalPlace): Promise<readonly Refusal[]> {
  const items = await queryAll(table, {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': refusalsOf(subject),
      ':first': refusalKey(subject, first).sk,
      ':last': refusalKey(subject, last).sk,
    },
  });
  return readRows(items, toRefusal).entities;
}

/**
 * Number of tries to write a row. Another request may have taken the slot in the meantime, and the next try then uses another slot. The
 * number is small, because each try costs a write unit, and nothing depends on these rows: they only inform the operator.
 */
const TRIES = 2;

/**
 * Records a refused request, for at most 2 read units and 2 write units. If several requests compete for a slot, some of the requests are
 * not recorded.
 *
 * @param now epoch ms
 * @returns the row that counts the refusal; undefined if the refusal was not recorded; `full` if no more rows may be written to the group in
 * this minute
 */
export async function recordRefusal(
  table: Table,
  refused: Refused,
  place: RefusalPlace,
  now: number,
): Promise<Refusal | 'full' | undefined> {
  let rows = await readGroup(table, refused, place);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const placement = placeRefusal(rows, refused, place, now);
    if (placement === 'full') return 'full';
    if ('counted' in placement) return placement.counted;
    const { refusal, replaces } = placement;
    const { isWritten, item } = await putItem(table, {
      Item: toItem(refused, refusal),
      ...(replaces
        ? {
            ConditionExpression: 'attribute_not_exists(pk) OR (#identity = :identity AND last_at = :last_at)',
            ExpressionAttributeNames: { '#identity': 'identity' },
            ExpressionAttributeValues: { ':identity': replaces.identity, ':last_at': replaces.last_at },
          }
        : { ConditionExpression: 'attribute_not_exists(pk)' }),
    });
    if (isWritten) return refusal;
    rows = [...rows.filter(({ slot }) => slot !== refusal.slot), ...readRows(item ? [item] : [], toRefusal).entities];
  }
  return undefined;
}

/** Deletes the refused requests about a license, because they contain names of the buyer's devices. */
export async function deleteRefusals(table: Table, licenseId: number): Promise<void> {
  // The key of a license's refusals does not contain the id of the product.
  const pk = refusalsOf({ product_id: 0, license_id: licenseId });
  for await (const page of queryPages(table, { ...wholePartition(pk), ProjectionExpression: 'pk, sk' }))
    await Promise.all(page.map((item) => deleteItem(table, { Key: keyOf(item) })));
}
