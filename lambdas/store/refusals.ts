import { REFUSALS } from '../contract/limits';
import { refusalReasons } from '../contract/statuses';
import { placeRefusal, type Refusal, type Refused } from '../domain/refusal';
import { refusalKey, refusalsOf } from './keys';
import { readRows, RowReader, type Readable } from './row';
import { deleteItem, putItem, queryPages } from './items';
import type { Item } from './codec';
import type { Table } from './table';

/**
 * Refused requests of apps. Each license has a limited number of slots for its refused requests. In addition, each product has a limited
 * number of slots for refused requests whose license key is unknown. Each slot is a row.
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

/** @throws UnreadableRow */
function toRefusal(item: Item): Refusal {
  const row = new RowReader(item);
  return {
    at: row.number('at'),
    last_at: row.number('last_at'),
    count: row.number('count'),
    license_id: row.nullableNumber('license_id'),
    reason: row.oneOf('reason', refusalReasons),
    key_hint: row.string('key_hint'),
    fingerprint_hint: row.nullableString('fingerprint_hint'),
    name: row.nullableString('name'),
    platform: row.nullableString('platform'),
    version: row.nullableString('app_version'),
    identity: row.string('identity'),
    slot: row.number('slot'),
    written: row.number('written'),
  };
}

/** Reads all refused requests about a license, or all refused requests to a product with unknown license keys, in no particular order. */
export async function readRefusals(table: Table, subject: RefusalSubject): Promise<Readable<Refusal>> {
  const items: Item[] = [];
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': refusalsOf(subject) },
  }))
    items.push(...page);
  return readRows(items, toRefusal);
}

/** Number of tries to write a row. Each try reads the rows again, because another request may have taken the slot in the meantime. */
const TRIES = 2;

/**
 * Records a refused request. If several requests compete for a slot, some of the requests are not recorded. The number of tries is small,
 * because each try costs a write unit, and nothing depends on these rows: they only inform the operator.
 *
 * @param now epoch ms
 * @returns `full` if no more rows may be written in this minute
 */
export async function recordRefusal(table: Table, refused: Refused, now: number): Promise<'done' | 'full'> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const placement = placeRefusal((await readRefusals(table, refused)).entities, refused, now);
    if (placement === 'full') return 'full';
    if (placement === 'counted') return 'done';
    const { refusal, replaces } = placement;
    const { isWritten } = await putItem(table, {
      Item: toItem(refused, refusal),
      ...(replaces
        ? {
            ConditionExpression: 'attribute_not_exists(pk) OR (#identity = :identity AND last_at = :last_at)',
            ExpressionAttributeNames: { '#identity': 'identity' },
            ExpressionAttributeValues: { ':identity': replaces.identity, ':last_at': replaces.last_at },
          }
        : { ConditionExpression: 'attribute_not_exists(pk)' }),
    });
    if (isWritten) return 'done';
  }
  return 'done';
}

/** Deletes the refused requests about a license, because they contain names of the buyer's devices. */
export async function deleteRefusals(table: Table, license: { readonly product_id: number; readonly license_id: number }): Promise<void> {
  const { pk } = refusalKey(license, 0);
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ProjectionExpression: 'pk, sk',
    ExpressionAttributeValues: { ':pk': pk },
  })) {
    await Promise.all(
      page.map(({ sk }) => {
        return deleteItem(table, { Key: { pk, sk: String(sk) } });
      }),
    );
  }
}
