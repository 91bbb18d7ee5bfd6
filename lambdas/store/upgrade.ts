import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { metadataOf } from '../domain/metadata';
import {
  DEVICE_PREFIX,
  expiryList,
  expiryPosition,
  fingerprintList,
  freedDevicesKey,
  licenseList,
  licenseTypeIdKey,
  listPosition,
  upgradeKey,
  type Key,
} from './keys';
import { listLicenseTypes } from './license-types';
import { isDeadKey, LICENSE_VERSION, toLicense } from './licenses/rows';
import { putMetadata } from './metadata';
import { listProducts } from './products';
import { retry, TRY_AGAIN } from './retry';
import { RowReader, UnreadableRow } from './row';
import { conditionHeld, getItem, getItems, queryPages, retryTransient, type Item, type Table } from './table';
import { create, transact, type Action } from './transaction';

/**
 * Upgrades rows of the first release to the current version: licenses and devices enter the index `lookup`, long
 * metadata moves to its own row, license types get the pointer that leads to them by id. The present code understands
 * the old rows too; what needs the index (lists by expiry, the search by fingerprint) finds them afterwards.
 *
 * It walks through every product's list, a part in each run, and remembers where it is. No license's `sequence`
 * changes: nothing happened that a product should learn of.
 */

/** Rows of the list that are looked at together. */
const PAGE = 200;

/** Updates that are under way at once. */
const PARALLEL = 20;

/**
 * A second walk begins this long after the first, in ms: while a new version is rolled out, functions of the old one
 * still write rows behind the walker's back.
 */
const SECOND_WALK_MS = 3_600_000;
const WALKS = 2;

/** Where the work is: at which product, behind which position of its list. */
interface Progress {
  readonly walk: number;
  readonly product: number;
  readonly past: string;
  /** When the walk may continue, epoch ms. */
  readonly not_before: number;
}

const toProgress = (item: Item | undefined): Progress => {
  if (!item) return { walk: 1, product: 0, past: '', not_before: 0 };
  const row = new RowReader(item);
  return { walk: row.number('walk'), product: row.number('product'), past: row.string('past'), not_before: row.number('not_before') };
};

const save = (table: Table, progress: Progress): Promise<unknown> =>
  transact(table, [{ Put: { Item: { ...upgradeKey(LICENSE_VERSION), ...progress } } }]);

/** What a run has done. */
export interface Upgraded {
  readonly rows: number;
  /** True when nothing is left, now and for ever. */
  readonly isDone: boolean;
}

/** Goes on with the upgrade. A run ends when it has looked at `maxRows` rows, or one page more. */
export async function upgradeRows(table: Table, maxRows: number): Promise<Upgraded> {
  let progress = toProgress(await getItem(table, upgradeKey(LICENSE_VERSION)));
  let rows = 0;
  for (let looked = 0; looked < maxRows; ) {
    if (progress.walk > WALKS) return { rows, isDone: true };
    if (table.clock() < progress.not_before) break;
    // The product under way, or the next one: positions start again with each.
    const { products, next } = await listProducts(table, progress.product === 0 ? 0 : progress.product - 1, 1);
    const [product] = products;
    if (!product) {
      progress =
        next === undefined
          ? { walk: progress.walk + 1, product: 0, past: '', not_before: progress.walk < WALKS ? table.clock() + SECOND_WALK_MS : 0 }
          : { ...progress, product: next + 1, past: '' };
      await save(table, progress);
      continue;
    }
    if (progress.past === '') rows += await pointAtTypes(table, product.id);
    const page = await upgradePage(table, product.id, progress.past);
    looked += 1 + page.looked;
    rows += page.upgraded;
    progress =
      page.last === undefined ? { ...progress, product: product.id + 1, past: '' } : { ...progress, product: product.id, past: page.last };
    await save(table, progress);
  }
  return { rows, isDone: false };
}

/** Makes every license type of a product known by its id. */
async function pointAtTypes(table: Table, productId: number): Promise<number> {
  let made = 0;
  for (let after = 0; ; ) {
    const { types, next } = await listLicenseTypes(table, productId, after, PAGE);
    const pointers = await getItems(
      table,
      types.map(({ id }) => licenseTypeIdKey(id)),
    );
    for (const [place, type] of types.entries()) {
      if (pointers[place]) continue;
      await transact(table, [create({ ...licenseTypeIdKey(type.id), product_id: productId })]);
      made += 1;
    }
    if (next === undefined) return made;
    after = next;
  }
}

/** Upgrades the next rows of a product's list: licenses, each with its devices. `last` is undefined at the list's end. */
async function upgradePage(table: Table, productId: number, past: string): Promise<{ looked: number; upgraded: number; last?: string }> {
  for await (const entries of queryPages(table, {
    IndexName: 'list',
    KeyConditionExpression: 'list_pk = :list AND list_sk > :past',
    ExpressionAttributeValues: { ':list': licenseList(productId), ':past': past === '' ? '0' : past },
    Limit: PAGE,
  })) {
    if (entries.length === 0) continue;
    const rows = await getItems(
      table,
      entries.map(({ pk, sk }) => ({ pk: pk as string, sk: sk as string })),
    );
    let upgraded = 0;
    for (let start = 0; start < rows.length; start += PARALLEL) {
      const upgrades = await Promise.all(
        rows.slice(start, start + PARALLEL).map(async (row) => row !== undefined && isOld(row) && (await upgrade(table, row))),
      );
      upgraded += upgrades.filter(Boolean).length;
    }
    return { looked: entries.length, upgraded, last: entries.at(-1)?.['list_sk'] as string };
  }
  return { looked: 0, upgraded: 0 };
}

const isDevice = (row: Item): boolean => String(row['sk']).startsWith(DEVICE_PREFIX);
const isOld = (row: Item): boolean => (isDevice(row) ? row['lookup_pk'] === undefined : row['version'] === undefined && !isDeadKey(row));

/** A row that this version cannot read stays as it is: it must not hold up the others. */
async function upgrade(table: Table, row: Item): Promise<boolean> {
  try {
    return isDevice(row) ? await upgradeDevice(table, row) : await upgradeLicense(table, row);
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error;
    return false;
  }
}

/** Repeated on what a concurrent change made of the license: the condition is its sequence. */
function upgradeLicense(table: Table, read: Item): Promise<boolean> {
  let row: Item | null | undefined = read;
  return retry(table, 'The license', async ({ retryUntil }) => {
    if (!row || !isOld(row)) return false;
    const transaction = await transact(table, upgradeActions(row), retryUntil);
    if (transaction.committed) return true;
    row = transaction.failed[0];
    return TRY_AGAIN;
  });
}

function upgradeActions(row: Item): Action[] {
  const license = toLicense(row);
  const { id, product_id, expires_at, epoch, sequence } = license;
  const key: Key = { pk: row['pk'] as string, sk: row['sk'] as string };
  const metadata = license.metadata.json === undefined ? license.metadata : metadataOf(license.metadata.json);
  const isMoved = license.metadata.ref === undefined && metadata.ref !== undefined;
  const set = [
    'version = :version',
    ...(expires_at === null ? [] : ['lookup_pk = :lookup_pk', 'lookup_sk = :lookup_sk']),
    ...(isMoved ? ['metadata_ref = :ref'] : []),
  ];
  return [
    {
      Update: {
        Key: key,
        UpdateExpression: `SET ${set.map((part) => `#${part}`).join(', ')}${isMoved ? ' REMOVE #metadata' : ''}`,
        ConditionExpression: '#sequence = :read AND attribute_not_exists(#version)',
        ExpressionAttributeNames: {
          '#version': 'version',
          '#sequence': 'sequence',
          ...(expires_at !== null && { '#lookup_pk': 'lookup_pk', '#lookup_sk': 'lookup_sk' }),
          ...(isMoved && { '#metadata_ref': 'metadata_ref', '#metadata': 'metadata' }),
        },
        ExpressionAttributeValues: {
          ':version': LICENSE_VERSION,
          ':read': sequence,
          ...(expires_at !== null && { ':lookup_pk': expiryList(product_id), ':lookup_sk': expiryPosition(expires_at, id) }),
          ...(isMoved && { ':ref': metadata.ref }),
        },
      },
    },
    ...(isMoved ? putMetadata({ id, metadata }) : []),
    // Devices that a reset of the first release has freed are removed as those of today's are.
    ...(epoch > 0 ? [{ Put: { Item: { ...freedDevicesKey(key.pk, epoch - 1), epoch: epoch - 1, license_pk: key.pk } } }] : []),
  ];
}

/** The device enters the index by its fingerprint, unless it was freed or bound again meanwhile. */
async function upgradeDevice(table: Table, row: Item): Promise<boolean> {
  const reader = new RowReader(row);
  const licenseId = Number(reader.string('list_sk').split('#', 1)[0]);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { pk: reader.string('pk'), sk: reader.string('sk') },
    UpdateExpression: 'SET lookup_pk = :list, lookup_sk = :position',
    ConditionExpression: 'epoch = :epoch AND attribute_not_exists(lookup_pk)',
    ExpressionAttributeValues: {
      ':list': fingerprintList(reader.string('fingerprint')),
      ':position': listPosition(licenseId),
      ':epoch': reader.number('epoch'),
    },
  });
  return conditionHeld(retryTransient(table, (options) => table.client.send(command, options)));
}
