import * as z from 'zod/mini';
import { fail, isFailure, type Failure } from '../contract/errors';
import { changedFields } from '../domain/audit';
import { productSchema, type Product } from '../domain/product';
import type { SigningSeeds } from '../domain/signing-key';
import { counterKey, listPosition, PRODUCT_LIST, productKey, productNameKey, productSlugKey, signingSeedsKey } from './keys';
import { listReminders } from './reminders/progress';
import { retry, TRY_AGAIN } from './retry';
import { readRow } from './row';
import { getItem, getItems, keyOf, nextId, readItems } from './items';
import type { Item } from './codec';
import type { Table } from './table';
import { RESPONSE_EXISTS, create, transactOnce, type Action, type ResponseExists } from './transaction';
import { scanPage } from './scan';

export const nextProductId = (table: Table): Promise<number> => nextId(table, counterKey('product'));

/** The version of the row format that this code writes. */
const VERSION = 2;

const toItem = (product: Product): Item => ({
  ...productKey(product.id),
  version: VERSION,
  list_pk: PRODUCT_LIST,
  list_sk: listPosition(product.id),
  ...product,
});

/** @throws UnreadableRow */
export const toProduct = (item: Item): Product => readRow(productSchema, item);

/** The row of a product's sealed signing seeds. */
const seedsSchema = z.object({ seeds: z.record(z.string(), z.string()) });
export const toSigningSeeds = (item: Item | undefined): SigningSeeds => (item ? readRow(seedsSchema, item).seeds : {});

/** Records a new product and its signing seeds. The product is refused if its name or slug is taken. */
export async function createProduct(
  table: Table,
  product: Product,
  seeds: SigningSeeds,
  storeResponse?: Action,
): Promise<Failure | ResponseExists | undefined> {
  table.audit?.describe({ product_id: product.id, target: `product/${product.id}` });
  const transaction = await transactOnce(
    table,
    [
      create(productNameKey(product.name)),
      create({ ...productSlugKey(product.slug), version: 1, product_id: product.id }),
      create(toItem(product)),
      create({ ...signingSeedsKey(product.id), version: 1, seeds }),
    ],
    storeResponse,
  );
  if (transaction === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  if (transaction.committed) return undefined;
  const [nameTaken] = transaction.failed;
  return fail('duplicate', nameTaken === undefined ? 'slug is taken by another product' : 'name is taken by another product');
}

export async function getProduct(table: Table, id: number): Promise<Product | undefined> {
  const item = await getItem(table, productKey(id));
  return item && toProduct(item);
}

/** Reads a product with its signing seeds in one read. */
export async function getProductWithSeeds(table: Table, id: number): Promise<{ product: Product; seeds: SigningSeeds } | undefined> {
  const [product, seeds] = await getItems(table, [productKey(id), signingSeedsKey(id)]);
  return product && { product: toProduct(product), seeds: toSigningSeeds(seeds) };
}

/** Reads the products with the given ids, each consistently. Products that do not exist or cannot be read are left out. */
export async function getProducts(table: Table, ids: ReadonlySet<number>): Promise<ReadonlyMap<number, Product>> {
  const { entities } = await readItems(table, [...ids].map(productKey), toProduct);
  return new Map(entities.map((product) => [product.id, product]));
}

/**
 * Lists up to `limit` products with ids above `after`, in ascending order. `unreadable` is the number of rows that could not be read.
 * `next` is the id of the last listed product, if there are more products.
 */
export async function listProducts(
  table: Table,
  after: number,
  limit: number,
): Promise<{ products: readonly Product[]; unreadable: number; next: number | undefined }> {
  const query = {
    IndexName: 'list',
    KeyConditionExpression: 'list_pk = :list AND list_sk > :after',
    ExpressionAttributeValues: { ':list': PRODUCT_LIST, ':after': listPosition(after) },
    Limit: limit + 1,
  };
  const { entries: keys, last } = await scanPage(table, query, { keep: keyOf, limit });
  const { entities: products, unreadable } = await readItems(table, keys, toProduct);
  return { products, unreadable, next: last && Number(last['list_sk']) };
}

/**
 * Lists products like {@link listProducts}, for a caller who may be restricted to one product.
 *
 * @param only the only product to list; null: all products
 */
export async function listProductsSeen(table: Table, only: number | null, after: number, limit: number): ReturnType<typeof listProducts> {
  if (only === null) return listProducts(table, after, limit);
  const products = only > after ? [...(await getProducts(table, new Set([only]))).values()] : [];
  return { products, unreadable: 0, next: undefined };
}

/** The ids of all products whose rows can be read, in ascending order. */
export async function listProductIds(table: Table): Promise<number[]> {
  const ids: number[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof listProducts>> = await listProducts(table, after, 100);
    ids.push(...page.products.map(({ id }) => id));
    after = page.next;
  }
  return ids;
}

interface Field {
  readonly path: string;
  readonly of: (product: Product) => unknown;
}

/**
 * The fields of a product that can change. `shown` is the field's name in the API, which the audit log shows; null if the API has no such
 * field. If an edit changes a field with `guarded`, and another request has changed that field in the meantime, the edit's transaction
 * fails and the edit is repeated. If `guarded` is true, the transaction compares the field itself. Otherwise it compares the field in
 * `guarded`, which changes whenever the field itself changes.
 */
const mutable: readonly (Field & {
  readonly guarded?: true | Field;
  readonly shown?: string | null;
})[] = [
  { path: 'name', of: ({ name }) => name, guarded: true },
  { path: 'signing_keys', of: ({ signing_keys }) => signing_keys, guarded: true, shown: null },
  { path: 'api_key_hash', of: ({ api_key_hash }) => api_key_hash, guarded: true, shown: 'api_key' },
  // A rotation changes both keys, so a simultaneous end of the previous key sees the rotation.
  {
    path: 'previous_api_key',
    of: ({ previous_api_key }) => previous_api_key,
    guarded: { path: 'api_key_hash', of: ({ api_key_hash }) => api_key_hash },
    shown: null,
  },
  { path: 'sealed.api_key', of: ({ sealed }) => sealed.api_key, guarded: true, shown: 'api_key' },
  { path: 'sealed.webhook_secret', of: ({ sealed }) => sealed.webhook_secret, guarded: true, shown: 'secret' },
  { path: 'previous_webhook_secret', of: ({ previous_webhook_secret }) => previous_webhook_secret, shown: 'secret' },
  { path: 'webhook_url', of: ({ webhook_url }) => webhook_url, shown: 'url' },
  { path: 'webhook_events', of: ({ webhook_events }) => webhook_events, shown: 'events' },
  // The settings are not compared, because the code that reads them adds defaults that the row does not contain. Only the revisions are
  // compared.
  { path: 'mail', of: ({ mail }) => mail, guarded: { path: 'mail.revision', of: ({ mail }) => mail.revision } },
  { path: 'list_devices', of: ({ list_devices }) => list_devices },
  { path: 'trials_per_hour', of: ({ trials_per_hour }) => trials_per_hour },
  { path: 'downloads', of: ({ downloads }) => downloads, shown: 'access' },
];

/** The names of the changed mail settings. Settings without a field in the API are left out. */
const changedMail = (before: Product, after: Product): string[] =>
  changedFields(before.mail, after.mail).filter((name) => name !== 'base_url' && name !== 'revision');

/** The API's names of the fields that differ between two states of a product. */
const changedNames = (before: Product, after: Product): string[] => [
  ...new Set(
    mutable
      .filter(({ of }) => JSON.stringify(of(before)) !== JSON.stringify(of(after)))
      .flatMap(({ path, shown = path }) => (path === 'mail' ? changedMail(before, after) : (shown ?? []))),
  ),
];

/** The action that changes a product from one state to another; undefined if the states are equal. */
function updateProduct(before: Product, after: Product): Action | undefined {
  const changed = mutable.filter(({ of }) => JSON.stringify(of(before)) !== JSON.stringify(of(after)));
  if (changed.length === 0) return undefined;
  const pathOf = ({ path }: Field): string =>
    path
      .split('.')
      .map((name) => `#${name}`)
      .join('.');
  const guards = changed.flatMap((field) => (field.guarded === true ? field : (field.guarded ?? [])));
  const names = Object.fromEntries([...changed, ...guards].flatMap(({ path }) => path.split('.').map((name) => [`#${name}`, name])));
  const given = guards.filter(({ of }) => of(before) !== undefined);
  const conditions = guards.map((field) =>
    given.includes(field) ? `${pathOf(field)} = :before${given.indexOf(field)}` : `attribute_not_exists(${pathOf(field)})`,
  );
  return {
    Update: {
      Key: productKey(after.id),
      UpdateExpression: ['SET #version = :version', ...changed.map((field, place) => `${pathOf(field)} = :after${place}`)].join(', '),
      ConditionExpression: ['attribute_exists(pk)', ...conditions].join(' AND '),
      ExpressionAttributeNames: { ...names, '#version': 'version' },
      ExpressionAttributeValues: {
        ':version': VERSION,
        ...Object.fromEntries(changed.map(({ of }, place) => [`:after${place}`, of(after)])),
        ...Object.fromEntries(given.map(({ of }, place) => [`:before${place}`, of(before)])),
      },
    },
  };
}

/**
 * The actions for a renamed product: they add a row that reserves the new name, and delete the row of the old name. These rows make names
 * of products unique.
 */
const moveName = (before: Product, after: Product): Action[] =>
  before.name === after.name ? [] : [create(productNameKey(after.name)), { Delete: { Key: productNameKey(before.name) } }];

function putSeeds(id: number, before: SigningSeeds, after: SigningSeeds | undefined): Action[] {
  if (!after || JSON.stringify(before) === JSON.stringify(after)) return [];
  return [
    {
      Put: {
        Item: { ...signingSeedsKey(id), version: 1, seeds: after },
        ConditionExpression: 'seeds = :before',
        ExpressionAttributeValues: { ':before': before },
      },
    },
  ];
}

/** A product with its signing seeds. The seeds are empty if the edit does not need them. */
export interface ProductState {
  readonly product: Product;
  readonly seeds: SigningSeeds;
}

/** The result of an edit of a product. */
export interface ProductEdit {
  readonly product: Product;
  /** The new signing seeds; undefined if they stay the same. */
  readonly seeds?: SigningSeeds;
}

export interface ProductEditOptions<Edit> {
  /** Whether the signing seeds are read for the edit. */
  readonly withSeeds?: boolean;
  readonly storeResponse?: (edited: Edit) => Action | undefined;
}

/**
 * Edits the current state of a product and commits the result. If another request changed the product in the meantime, the edit is
 * repeated. An edit that changes nothing is not committed.
 *
 * @throws StoreUnavailable if other requests keep changing the product until the time for retries ends
 */
export function editProduct<Edit extends ProductEdit>(
  table: Table,
  id: number,
  edit: (state: ProductState) => Failure | Edit | Promise<Failure | Edit>,
  { withSeeds = false, storeResponse }: ProductEditOptions<Edit> = {},
): Promise<Failure | ResponseExists | Edit> {
  return retry(table, 'The product', async () => {
    const product = withSeeds ? undefined : await getProduct(table, id);
    const before = withSeeds ? await getProductWithSeeds(table, id) : product && { product, seeds: {} };
    if (!before) return fail('not_found', 'There is no such product');
    const edited = await edit(before);
    if (isFailure(edited)) return edited;

    const update = updateProduct(before.product, edited.product);
    if (!update) return edited;
    table.audit?.describe({ product_id: id, details: changedNames(before.product, edited.product) });
    const names = moveName(before.product, edited.product);
    const transaction = await transactOnce(
      table,
      [update, ...names, ...putSeeds(id, before.seeds, edited.seeds), ...listReminders(before.product, edited.product)],
      storeResponse?.(edited),
    );
    if (transaction === RESPONSE_EXISTS) return RESPONSE_EXISTS;
    if (transaction.committed) return edited;
    if (names.length > 0 && transaction.failed[0] === undefined && transaction.failed[1] !== undefined)
      return fail('duplicate', 'name is taken by another product');
    return TRY_AGAIN;
  });
}
