import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fail, type Failure } from '../contract/errors';
import type { Product } from '../domain/product';
import { counterKey, listPosition, PRODUCT_LIST, productKey, productNameKey, productSlugKey } from './keys';
import { getItem, getItems, nextId, retryTransient, queryPages, type Item, type Table } from './table';
import { RESPONSE_EXISTS, create, transactOnce, type Action, type ResponseExists } from './transaction';

export const nextProductId = (table: Table): Promise<number> => nextId(table, counterKey('product'));

const toItem = (product: Product): Item => ({
  ...productKey(product.id),
  list_pk: PRODUCT_LIST,
  list_sk: listPosition(product.id),
  ...product,
});

export const toProduct = ({ pk, sk, list_pk, list_sk, ...product }: Item): Product => product as unknown as Product;

/** Records a new product; refused where its name or slug is taken. */
export async function createProduct(table: Table, product: Product, storeResponse?: Action): Promise<Failure | ResponseExists | undefined> {
  const outcome = await transactOnce(
    table,
    [create(productNameKey(product.name)), create(productSlugKey(product.slug)), create(toItem(product))],
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

/** Up to `limit` products with ids above `after`, in ascending order, and whether more remain. */
export async function listProducts(table: Table, after: number, limit: number): Promise<{ products: Product[]; more: boolean }> {
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
  const items = await getItems(table, keys.slice(0, limit).map(({ pk, sk }) => ({ pk: pk as string, sk: sk as string })));
  return { products: items.flatMap((item) => (item ? [toProduct(item)] : [])), more: keys.length > limit };
}

/** Sets a product's webhook; the empty string clears it. Undefined where there is no such product. */
export async function setWebhookUrl(table: Table, id: number, url: string): Promise<Product | undefined> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: productKey(id),
    UpdateExpression: 'SET webhook_url = :url',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':url': url },
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
