import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { idKey, type Notification, type OrderId } from '../../domain/payments';
import { orderedAt } from '../../domain/payments/facts';
import type { Connection } from '../../domain/payments/connection';
import { orderSchema, type OrderLicenseRef, type StoredOrder } from '../../domain/payments/order';
import {
  buyerList,
  connectionOfOrder,
  eventPosition,
  orderIdKey,
  orderKey,
  orderList,
  paymentCustomerKey,
  paymentEventKey,
  UNCOUNTED_ORDERS,
  type Key,
} from '../keys';
import { readRow, stringIn } from '../row';
import { BATCH_SIZE, getItems, putItem } from '../items';
import type { Condition } from '../action';
import { chunks } from '../chunks';
import type { Item } from '../codec';
import type { Table } from '../table';
import { create, type Action } from '../transaction';
import { number, orNull, string } from '../../domain/stored';

/**
 * Orders. Each order has one row with its data. In addition, each id of the order has a row that points from the id to the order. An order
 * is created by the first notification that has one of its ids. An order without licenses is kept for 90 days.
 */

/** Hashes an id of any length to a text of 22 characters. */
const short = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

const KEPT_DAYS = 90;
const ttl = (now: number): number => Math.ceil(now / 1000) + KEPT_DAYS * 86_400;

/** An order in the table, with the id of its connection. */
export interface OrderInTable extends StoredOrder {
  readonly connection_id: number;
}

export const toStoredOrder = (item: Item): OrderInTable => ({
  connection_id: connectionOfOrder(stringIn(item, 'pk')),
  ...readRow(orderSchema, { ...item, version: item['order_version'] as unknown }),
});

/** The position of an order in the list of its product's orders: by the time of the first notification about the order. */
export const orderPosition = ({ uid, facts }: Pick<StoredOrder, 'uid' | 'facts'>): string => eventPosition(orderedAt(facts), uid);

/** The waiting notifications as JSON, without the fields that are needed only when a notification arrives. */
const waitingJson = (waiting: StoredOrder['waiting']): string =>
  JSON.stringify(waiting.map(({ notification: { needs: _, money: __, ...notification }, ...entry }) => ({ ...entry, notification })));

const licenseItems = (licenses: StoredOrder['licenses']): Item[] =>
  licenses.map(({ overridden, ...license }) => ({ ...license, ...(overridden.length > 0 && { overridden }) }));

/** The row of a notification that was received. */
const eventIdSchema = z.object({ payment_id: string, content: orNull(string) });

/** The row of a buyer. `customer_version` increases with each change. */
export const customerSchema = z.object({ email: orNull(string), customer_version: number });

type Owner = Pick<Connection, 'id' | 'product_id'>;

const orderItem = ({ id: connectionId, product_id }: Owner, stored: StoredOrder, version: number, now: number): Item => ({
  ...orderKey(connectionId, stored.uid),
  product_id,
  version: 2,
  uid: stored.uid,
  order_version: version,
  facts: JSON.stringify(stored.facts),
  licenses: licenseItems(stored.licenses),
  waiting: waitingJson(stored.waiting),
  issued_at: stored.issued_at,
  ...(stored.joined.length > 0 && { joined: stored.joined }),
  test: stored.test,
  list_pk: orderList(product_id),
  list_sk: orderPosition(stored),
  ...(Object.keys(stored.uncounted).length > 0 && {
    uncounted: JSON.stringify(stored.uncounted),
    pending_pk: UNCOUNTED_ORDERS,
    pending_sk: orderPosition(stored),
  }),
  ...(stored.facts.customerEmail !== null && { email_pk: buyerList(connectionId, stored.facts.customerEmail), email_sk: stored.uid }),
  ...(stored.licenses.length === 0 && { ttl: ttl(now) }),
});

/** The stored state that is needed to plan the effects of a notification. */
export interface KnownOrders {
  /** The id of the earlier row in the payments log, if the same notification was already processed. */
  readonly duplicateOf: string | undefined;
  /** The hash of the content of that earlier notification; null if it was not stored. */
  readonly contentOfDuplicate: string | null;
  /** The orders that have any of the notification's ids. */
  readonly orders: readonly StoredOrder[];
  /** The buyer's e-mail address, if the processor has reported the address in a notification about the customer. */
  readonly customerEmail: string | null;
  /** The version of the stored buyer, which increases with each change; 0 if the buyer is not stored yet. */
  readonly customerVersion: number;
}

/** The keys of the rows that point from the given ids to orders, without duplicates. */
const idRows = (connectionId: number, ids: readonly OrderId[]): Key[] =>
  [...new Set(ids.map(idKey))].map((key) => orderIdKey(connectionId, short(key)));

/** A row that points from an id to an order of a connection; undefined if the id has no row. */
interface IdRow {
  readonly connectionId: number;
  readonly item: Item | undefined;
}

/** Reads the orders to which the given rows point, without duplicates. */
async function ordersAt(table: Table, rows: readonly IdRow[]): Promise<OrderInTable[]> {
  const keys = rows.flatMap(({ connectionId, item }) => (item ? [orderKey(connectionId, stringIn(item, 'uid'))] : []));
  const items = await getItems(table, [...new Map(keys.map((key) => [key.pk, key])).values()]);
  return items.flatMap((item) => (item ? [toStoredOrder(item)] : []));
}

/**
 * Reads all orders that have one of a notification's ids. The first read returns the rows that point from the ids to the orders, and the
 * rows with the keys in `also`. The second read returns the orders.
 */
export async function readOrders(
  table: Table,
  connectionId: number,
  notification: Pick<Notification, 'eventId' | 'ids' | 'customerId'>,
  also: readonly Key[] = [],
): Promise<KnownOrders & { readonly also: readonly (Item | undefined)[] }> {
  const idKeys = idRows(connectionId, notification.ids);
  const customerKey = notification.customerId === null ? [] : [paymentCustomerKey(connectionId, short(notification.customerId))];
  const items = await getItems(table, [paymentEventKey(connectionId, short(notification.eventId)), ...idKeys, ...customerKey, ...also]);
  const [event, ...rest] = items;
  const ids = rest.slice(0, idKeys.length);
  const customer = rest[idKeys.length];
  const buyer = customerKey.length > 0 && customer ? readRow(customerSchema, customer) : undefined;
  const used = event && readRow(eventIdSchema, event);
  const orders = await ordersAt(
    table,
    ids.map((item) => ({ connectionId, item })),
  );
  return {
    duplicateOf: used?.payment_id,
    contentOfDuplicate: used?.content ?? null,
    orders,
    customerEmail: buyer?.email ?? null,
    customerVersion: buyer?.customer_version ?? 0,
    also: rest.slice(idKeys.length + customerKey.length),
  };
}

/** The action that marks the deduplication key of a notification as used. The transaction fails if the key was already used. */
export const useEventId = (
  connectionId: number,
  { eventId, content }: Pick<Notification, 'eventId' | 'content'>,
  paymentId: string,
  now: number,
): Action =>
  create({
    ...paymentEventKey(connectionId, short(eventId)),
    payment_id: paymentId,
    ...(content !== undefined && { content }),
    ttl: ttl(now),
  });

/** The row that points from an id to an order. If the order has licenses, this row is permanent. */
const idItem = (connectionId: number, id: OrderId, uid: string, expiresAt?: number): Item => ({
  ...orderIdKey(connectionId, short(idKey(id))),
  uid,
  ...(expiresAt !== undefined && { ttl: expiresAt }),
});

/**
 * The condition that the row of an id is absent or points to the given order. If the order had no licenses, the row of its id may have
 * expired.
 */
const isRowOf = (uid: string): Condition => ({
  ConditionExpression: 'attribute_not_exists(pk) OR uid = :uid',
  ExpressionAttributeValues: { ':uid': uid },
});

/** Maximum number of known ids whose rows become permanent in the transaction that issues the order's first licenses. */
const MAX_KNOWN_IDS = 5;

/**
 * Makes the rows of an order's known ids permanent before the order's first licenses are issued, if the transaction that issues the
 * licenses has no room for these rows. An order can have hundreds of ids if its sale was held for a long time.
 */
export async function keepKnownIds(table: Table, connectionId: number, { uid, facts }: StoredOrder): Promise<void> {
  if (facts.ids.length <= MAX_KNOWN_IDS) return;
  for (const ids of chunks(facts.ids, BATCH_SIZE))
    await Promise.all(ids.map((id) => putItem(table, { Item: idItem(connectionId, id, uid), ...isRowOf(uid) })));
}

/**
 * The actions that store a new version of an order, add rows for its new ids, and delete the rows of the orders that were joined with it.
 * The actions fail if one of these orders changed since it was read.
 *
 * @param hadLicenses whether the order had licenses when it was read. If it had licenses, the rows of its known ids are already permanent
 * and are not written again. A subscription that runs for years has more ids than one transaction could write.
 * @param named the ids in the new notification. If the order has no licenses, the rows of these ids are kept as long as the order.
 */
export function orderActions(
  connection: Owner,
  stored: StoredOrder,
  hadLicenses: boolean,
  knownIds: ReadonlySet<string>,
  named: ReadonlySet<string>,
  removed: readonly StoredOrder[],
  now: number,
): Action[] {
  const { uid, facts, licenses, version } = stored;
  const { id: connectionId } = connection;
  const put = orderItem(connection, stored, version + 1, now);
  const isKept = licenses.length > 0;
  const moved = new Set(removed.flatMap((one) => one.facts.ids.map(idKey)));
  const known = facts.ids.filter((id) => knownIds.has(idKey(id)) && !moved.has(idKey(id)));
  const unkept = hadLicenses || known.length > MAX_KNOWN_IDS ? [] : known;
  const again = isKept ? unkept : known.filter((id) => named.has(idKey(id)));
  const row = (id: OrderId): Item => idItem(connectionId, id, uid, isKept ? undefined : ttl(now));
  return [
    version === 0
      ? create(put)
      : { Put: { Item: put, ConditionExpression: 'order_version = :read', ExpressionAttributeValues: { ':read': version } } },
    ...again.map((id): Action => ({ Put: { Item: row(id), ...isRowOf(uid) } })),
    ...facts.ids.filter((id) => moved.has(idKey(id))).map((id): Action => ({ Put: { Item: row(id) } })),
    ...facts.ids
      .filter((id) => !knownIds.has(idKey(id)) && !moved.has(idKey(id)))
      .map(
        (id): Action => ({
          Put: {
            Item: row(id),
            // DynamoDB may delete an expired order before the rows of its ids.
            ConditionExpression: 'attribute_not_exists(pk) OR #ttl < :now',
            ExpressionAttributeNames: { '#ttl': 'ttl' },
            ExpressionAttributeValues: { ':now': Math.floor(now / 1000) },
          },
        }),
      ),
    ...removed.map(
      (one): Action => ({
        Delete: {
          Key: orderKey(connectionId, one.uid),
          ConditionExpression: 'order_version = :read',
          ExpressionAttributeValues: { ':read': one.version },
        },
      }),
    ),
  ];
}

/**
 * The action that stores the e-mail address of a buyer. It stores null if the address is not known yet. The action fails if the buyer's row
 * changed since it was read. Without this condition, a notification without the address could overwrite an address that arrived at the same
 * time.
 */
export const customerAction = (
  connectionId: number,
  customerId: string,
  { customerVersion }: Pick<KnownOrders, 'customerVersion'>,
  email: string | null,
  now: number,
): Action => ({
  Put: {
    Item: {
      ...paymentCustomerKey(connectionId, short(customerId)),
      email,
      customer_version: customerVersion + 1,
      ...(email !== null && { email_pk: buyerList(connectionId, email), email_sk: short(customerId) }),
      ttl: ttl(now),
    },
    ...(customerVersion === 0
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : { ConditionExpression: 'customer_version = :read', ExpressionAttributeValues: { ':read': customerVersion } }),
  },
});

/** The ids of an order at a connection. */
export interface IdsAtConnection {
  readonly connectionId: number;
  readonly ids: readonly OrderId[];
}

/** The orders that have any of the given ids. */
export const findOrders = (table: Table, connectionId: number, ids: readonly OrderId[]): Promise<StoredOrder[]> =>
  findOrdersOf(table, [{ connectionId, ids }]);

/** The orders that have any of the given ids at different connections. The rows of many connections are read together. */
export async function findOrdersOf(table: Table, wanted: readonly IdsAtConnection[]): Promise<OrderInTable[]> {
  const rows = wanted.flatMap(({ connectionId, ids }) => idRows(connectionId, ids).map((key) => ({ connectionId, key })));
  const items = await getItems(
    table,
    rows.map(({ key }) => key),
  );
  return ordersAt(
    table,
    rows.map(({ connectionId }, place) => ({ connectionId, item: items[place] })),
  );
}

export async function getOrder(table: Table, connectionId: number, uid: string): Promise<StoredOrder | undefined> {
  const [item] = await getItems(table, [orderKey(connectionId, uid)]);
  return item && toStoredOrder(item);
}

/**
 * The action that removes the buyer's e-mail address, and the link to the buyer's receipt, from an order. The action fails if the order
 * changed since it was read.
 */
export const eraseOrder = (connectionId: number, { uid, version, facts, waiting }: StoredOrder): Action => ({
  Update: {
    Key: orderKey(connectionId, uid),
    UpdateExpression: 'SET facts = :facts, waiting = :waiting, order_version = :next REMOVE email_pk, email_sk, #old',
    ConditionExpression: 'order_version = :read',
    ExpressionAttributeNames: { '#old': 'order' },
    ExpressionAttributeValues: {
      ':facts': JSON.stringify({ ...facts, customerEmail: null, addressOf: null, receipt: null }),
      ':waiting': waitingJson(
        waiting.map((entry) => ({ ...entry, notification: { ...entry.notification, customerEmail: null, receipt: null } })),
      ),
      ':next': version + 1,
      ':read': version,
    },
  },
});

/** The hash of a processor's customer id, for use in keys. */
export const customerHash = short;

/**
 * Updates an order's row when not all changes of the order fit into one transaction. A first transaction then issues or changes only some
 * of the licenses, and contains this action, which adds the issued licenses to the order's row. Afterwards the remaining changes are
 * planned again.
 */
export const partOfOrder = (
  connectionId: number,
  { uid, version, licenses }: Pick<StoredOrder, 'uid' | 'version' | 'licenses'>,
  issued: readonly OrderLicenseRef[],
): Action => ({
  Update: {
    Key: orderKey(connectionId, uid),
    UpdateExpression: `SET order_version = :next${issued.length > 0 ? ', licenses = :licenses' : ''}`,
    ConditionExpression: 'order_version = :read',
    ExpressionAttributeValues: {
      ':next': version + 1,
      ':read': version,
      ...(issued.length > 0 && { ':licenses': licenseItems([...licenses, ...issued]) }),
    },
  },
});

/** The key of the row with the e-mail address of a processor's customer. */
export const customerKey = (connectionId: number, customerId: string): Key => paymentCustomerKey(connectionId, short(customerId));
