import { MAX_HELD_COUNTED } from '../../contract/overview';
import { changedFields } from '../../domain/audit';
import { connectionSchema, type Connection } from '../../domain/payments/connection';
import {
  connectionKey,
  connectionListKey,
  connectionPlaceKey,
  connectionTokenKey,
  CONNECTIONS_OF_PRODUCT,
  counterKey,
  heldOfProduct,
  reconciliationKey,
  REJECTING_CONNECTIONS,
} from '../keys';
import { numberIn, readRow, readRows, type Readable } from '../row';
import { getItem, getItems, nextId, queryPages, updateItem } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { create, transact, transactOnce, type Action, type TransactionResult, type ResponseExists } from '../transaction';

/**
 * Connections to payment processors. Each connection has a row with its data, a row to find it by its token's hash, and a row in its
 * product's list.
 */

export const nextConnectionId = (table: Table): Promise<number> => nextId(table, counterKey('payment_connection'));

/** The position of a connection at which notifications with a wrong signature arrive. */
const rejectingPosition = ({ id, product_id }: Pick<Connection, 'id' | 'product_id'>): string => `${heldOfProduct(product_id)}${id}`;

const toItem = (connection: Connection): Item => ({
  ...connectionKey(connection.id),
  version: 1,
  ...connection,
  ...(connection.rejected_count > 0 && { pending_pk: REJECTING_CONNECTIONS, pending_sk: rejectingPosition(connection) }),
});

const toConnection = (item: Item): Connection => readRow(connectionSchema, item);

/**
 * Records a new connection. From then on, the connection can be found by the hash of its token. Nothing is committed if another connection
 * took the place in the meantime.
 *
 * @param place the number of connections that the product has
 */
export function createConnection(
  table: Table,
  connection: Connection,
  place: number,
  tokenHash: string,
  storeResponse?: Action,
): Promise<TransactionResult | ResponseExists> {
  table.audit?.describe({ target: `payment_connection/${connection.id}` });
  return transactOnce(
    table,
    [
      create(toItem(connection)),
      create({ ...connectionTokenKey(tokenHash), connection_id: connection.id }),
      create(connectionListKey(connection.product_id, connection.id)),
      create(connectionPlaceKey(connection.product_id, place)),
      create({ ...reconciliationKey(connection.id), connection_id: connection.id }),
    ],
    storeResponse,
  );
}

/**
 * Stores a changed connection. If only `updated_at` has changed, nothing is stored. Returns false if another request changed the connection
 * since it was read.
 */
export async function replaceConnection(table: Table, before: Connection, after: Connection): Promise<boolean> {
  const changed = changedFields(before, { ...after, updated_at: before.updated_at });
  if (changed.length === 0) return true;
  table.audit?.describe({
    product_id: before.product_id,
    details: changed.map((name) => (name === 'signing_secrets' ? 'signing_secret' : name)),
  });
  const { committed } = await transact(table, [
    { Put: { Item: toItem(after), ConditionExpression: 'updated_at = :read', ExpressionAttributeValues: { ':read': before.updated_at } } },
  ]);
  return committed;
}

/**
 * Stores the re-encrypted secrets of a connection. Returns false if the connection changed since it was read. The update changes
 * `updated_at`, so that a concurrent change based on the old secrets fails and is repeated.
 */
export async function replaceSecrets(
  table: Table,
  { id, updated_at }: Connection,
  { token, signing_secrets, api_key }: Pick<Connection, 'token' | 'signing_secrets' | 'api_key'>,
): Promise<boolean> {
  const { committed } = await transact(table, [
    {
      Update: {
        Key: connectionKey(id),
        UpdateExpression: 'SET #token = :token, signing_secrets = :signing, api_key = :api, updated_at = :next',
        ConditionExpression: 'updated_at = :read',
        ExpressionAttributeNames: { '#token': 'token' },
        ExpressionAttributeValues: {
          ':token': token,
          ':signing': signing_secrets,
          ':api': api_key,
          ':read': updated_at,
          ':next': updated_at + 1,
        },
      },
    },
  ]);
  return committed;
}

export async function getConnection(table: Table, id: number): Promise<Connection | undefined> {
  const item = await getItem(table, connectionKey(id));
  return item && toConnection(item);
}

/** The connections with the given ids that exist. */
export async function getConnections(table: Table, ids: readonly number[]): Promise<Connection[]> {
  const items = await getItems(table, ids.map(connectionKey));
  return items.flatMap((item) => (item ? [toConnection(item)] : []));
}

/** The id of the connection that a token belongs to. The token of a connection never changes. */
export async function findConnectionByToken(table: Table, tokenHash: string): Promise<number | undefined> {
  const item = await getItem(table, connectionTokenKey(tokenHash));
  return item && numberIn(item, 'connection_id');
}

/** The ids of a product's connections, in ascending order. */
export async function listConnectionIds(table: Table, productId: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': `${CONNECTIONS_OF_PRODUCT}${productId}` },
  })) {
    ids.push(...page.map((item) => Number(item['sk'])));
  }
  return ids;
}

/** The connections of a product, sorted by id. */
export async function listConnections(table: Table, productId: number): Promise<Readable<Connection>> {
  const items = await getItems(table, (await listConnectionIds(table, productId)).map(connectionKey));
  return readRows(
    items.filter((item) => item !== undefined),
    toConnection,
  );
}

/**
 * Records when a connection last received a notification or was last reconciled. The write has no condition on other fields, so it never
 * conflicts with a change of the connection: many notifications can arrive at the same time and must not wait for each other.
 */
export async function recordTime(table: Table, id: number, field: 'last_received_at' | 'last_reconciled_at', at: number): Promise<void> {
  await updateItem(table, {
    Key: connectionKey(id),
    UpdateExpression: 'SET #field = :at',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#field': field },
    ExpressionAttributeValues: { ':at': at },
  });
}

/** Minimum time between two counted rejections of a connection, in ms. */
const REJECTED_EVERY_MS = 60_000;

/** Counts a notification with a wrong signature, unless another one was counted less than a minute ago. */
export async function countRejected(
  table: Table,
  connection: Pick<Connection, 'id' | 'product_id' | 'rejected_at'>,
  now: number,
): Promise<void> {
  const { id, rejected_at } = connection;
  if (rejected_at !== null && now - rejected_at < REJECTED_EVERY_MS) return;
  await transact(table, [
    {
      Update: {
        Key: connectionKey(id),
        UpdateExpression: 'SET rejected_at = :now, pending_pk = :rejecting, pending_sk = :position ADD rejected_count :one',
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(rejected_at) OR rejected_at = :null OR rejected_at <= :before)',
        ExpressionAttributeValues: {
          ':now': now,
          ':one': 1,
          ':null': null,
          ':before': now - REJECTED_EVERY_MS,
          ':rejecting': REJECTING_CONNECTIONS,
          ':position': rejectingPosition(connection),
        },
      },
    },
  ]);
}

/** Forgets the rejected notifications of a connection, because a valid one has arrived. */
export const clearRejected = (table: Table, id: number): Promise<unknown> =>
  transact(table, [
    {
      Update: {
        Key: connectionKey(id),
        UpdateExpression: 'SET rejected_count = :zero, rejected_at = :null REMOVE pending_pk, pending_sk',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':zero': 0, ':null': null },
      },
    },
  ]);

/**
 * The number of connections of each product at which notifications with a wrong signature have arrived since the last valid one. One query
 * reads at most {@link MAX_HELD_COUNTED} connections.
 *
 * @param only the only product whose connections are counted; null: all products
 */
export async function countRejecting(table: Table, only: number | null): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  let left = MAX_HELD_COUNTED;
  for await (const page of queryPages(table, {
    IndexName: 'pending',
    KeyConditionExpression: only === null ? 'pending_pk = :rejecting' : 'pending_pk = :rejecting AND begins_with(pending_sk, :product)',
    ExpressionAttributeValues: { ':rejecting': REJECTING_CONNECTIONS, ...(only !== null && { ':product': heldOfProduct(only) }) },
    Limit: MAX_HELD_COUNTED,
  })) {
    for (const { pending_sk: position } of page) {
      const product = Number.parseInt(String(position), 10);
      counts.set(product, (counts.get(product) ?? 0) + 1);
    }
    left -= page.length;
    if (left <= 0) break;
  }
  return counts;
}
