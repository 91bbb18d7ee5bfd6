import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fail, type Failure } from '../contract/errors';
import { eventNames, type EventName } from '../contract/events';
import type { Product } from '../domain/product';
import { kidOf, signingKeyStatuses, type SigningKey, type SigningSeeds } from '../domain/signing-key';
import { counterKey, listPosition, PRODUCT_LIST, productKey, productNameKey, productSlugKey, signingSeedsKey } from './keys';
import { readRows, RowReader } from './row';
import { getItem, getItems, nextId, retryTransient, queryPages, type Item, type Table } from './table';
import { RESPONSE_EXISTS, create, transactOnce, type Action, type ResponseExists } from './transaction';

export const nextProductId = (table: Table): Promise<number> => nextId(table, counterKey('product'));

/**
 * The shape that this version writes. 1 (rows without a version): one key pair, its seed in the product's row and
 * `public_key` in the place of `signing_keys`.
 */
const VERSION = 2;

const toItem = (product: Product): Item => ({
  ...productKey(product.id),
  version: VERSION,
  list_pk: PRODUCT_LIST,
  list_sk: listPosition(product.id),
  ...product,
});

const toSigningKey = (row: RowReader): SigningKey => ({
  kid: row.string('kid'),
  public_key: row.string('public_key'),
  status: row.oneOf('status', signingKeyStatuses),
  created_at: row.number('created_at'),
});

/** The one key pair of a product of the first version. */
function firstSigningKey(row: RowReader): SigningKey {
  const public_key = row.string('public_key');
  return { kid: kidOf(public_key), public_key, status: 'current', created_at: row.number('created_at') };
}

/** @throws UnreadableRow */
export function toProduct(item: Item): Product {
  const row = new RowReader(item);
  const keys = row.maps('signing_keys');
  const sealed = row.map('sealed');
  const seed = sealed.nullableString('seed');
  return {
    id: row.number('id'),
    name: row.string('name'),
    slug: row.string('slug'),
    signing_keys: keys.length > 0 ? keys.map(toSigningKey) : [firstSigningKey(row)],
    api_key_hash: row.string('api_key_hash'),
    sealed: { api_key: sealed.string('api_key'), webhook_secret: sealed.string('webhook_secret'), ...(seed !== null && { seed }) },
    webhook_url: row.string('webhook_url'),
    webhook_events: row.nullableStrings('webhook_events')?.flatMap((name) => eventNames.find((known) => known === name) ?? []) ?? null,
    created_at: row.number('created_at'),
  };
}

/** The seeds in a row of the partition `signingKey`; none if there is no such row, as for products of the first version. */
export const toSigningSeeds = (item: Item | undefined): SigningSeeds => (item ? new RowReader(item).strings('seeds') : {});

/** Records a new product and its signing seeds; refused if its name or slug is taken. */
export async function createProduct(
  table: Table,
  product: Product,
  seeds: SigningSeeds,
  storeResponse?: Action,
): Promise<Failure | ResponseExists | undefined> {
  const outcome = await transactOnce(
    table,
    [
      create(productNameKey(product.name)),
      create(productSlugKey(product.slug)),
      create(toItem(product)),
      create({ ...signingSeedsKey(product.id), version: 1, seeds }),
    ],
    storeResponse,
  );
  if (outcome === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  if (outcome.committed) return undefined;
  const [nameTaken] = outcome.failed;
  return fail('duplicate', nameTaken === undefined ? 'slug is taken by another product' : 'name is taken by another product');
}

export async function getProduct(table: Table, id: number): Promise<Product | undefined> {
  const item = await getItem(table, productKey(id));
  return item && toProduct(item);
}

/** A product with its signing seeds, in one read. */
export async function getProductWithSeeds(table: Table, id: number): Promise<{ product: Product; seeds: SigningSeeds } | undefined> {
  const [product, seeds] = await getItems(table, [productKey(id), signingSeedsKey(id)]);
  return product && { product: toProduct(product), seeds: toSigningSeeds(seeds) };
}

/** The products of these ids, each read consistently. Those that are gone or cannot be read are left out. */
export async function getProducts(table: Table, ids: ReadonlySet<number>): Promise<ReadonlyMap<number, Product>> {
  const items = await getItems(table, [...ids].map(productKey));
  const { entities } = readRows(items.filter((item) => item !== undefined), toProduct);
  return new Map(entities.map((product) => [product.id, product]));
}

/**
 * Up to `limit` products with ids above `after`, in ascending order; how many of these rows could not be read; and
 * the id to go on after, if more remain.
 */
export async function listProducts(
  table: Table,
  after: number,
  limit: number,
): Promise<{ products: readonly Product[]; unreadable: number; next: number | undefined }> {
  const keys: Item[] = [];
  for await (const page of queryPages(table, {
    IndexName: 'list',
    KeyConditionExpression: 'list_pk = :list AND list_sk > :after',
    ExpressionAttributeValues: { ':list': PRODUCT_LIST, ':after': listPosition(after) },
    Limit: limit + 1 - keys.length,
  })) {
    keys.push(...page);
    if (keys.length > limit) break;
  }
  const listed = keys.slice(0, limit);
  const items = await getItems(table, listed.map(({ pk, sk }) => ({ pk: pk as string, sk: sk as string })));
  const { entities, unreadable } = readRows(items.filter((item) => item !== undefined), toProduct);
  return { products: entities, unreadable, next: keys.length > limit ? Number(listed.at(-1)?.['list_sk']) : undefined };
}

/**
 * Sets a product's webhook; the empty string clears it. Undefined if there is no such product.
 *
 * @param events the events to post; null: all; undefined: as before
 */
export async function setWebhook(table: Table, id: number, url: string, events: readonly EventName[] | null | undefined): Promise<Product | undefined> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: productKey(id),
    UpdateExpression: `SET webhook_url = :url${events === undefined ? '' : ', webhook_events = :events'}`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':url': url, ...(events !== undefined && { ':events': events }) },
    ReturnValues: 'ALL_NEW',
  });
  try {
    const { Attributes } = await retryTransient(table, (options) => table.client.send(command, options));
    return Attributes && toProduct(Attributes);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
