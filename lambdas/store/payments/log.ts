import * as z from 'zod/mini';
import { MAX_HELD_COUNTED } from '../../contract/overview';
import { processors } from '../../contract/processors';
import {
  buyerList,
  eventPosition,
  HELD_PAYMENTS,
  heldOfProduct,
  heldPosition,
  orderPayments,
  paymentKey,
  paymentList,
  paymentPartKey,
  type Key,
} from '../keys';
import { ListReader, readRow, readRows, stringIn, type Readable } from '../row';
import { newestFirst, scanPage } from '../scan';
import { getItem, getItems, queryPages } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { create, transact, type Action } from '../transaction';
import { chunks } from '../chunks';
import { flag, list, number, orNull, string, type Stored } from '../../domain/stored';

/** The payments log has a row for each notification. Each row is kept for this number of days. */
export const PAYMENT_DAYS = 90;

const paymentStatuses = ['done', 'ignored', 'held', 'waiting'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

const paymentSchema = z.object({
  id: string,
  product_id: number,
  connection_id: number,
  processor: z.enum(processors),
  source: z.enum(['webhook', 'reconcile']),
  event_id: string,
  type: string,
  action: string,
  status: z.enum(paymentStatuses),
  reason: orNull(string),
  order_id: orNull(string),
  subscription_id: orNull(string),
  customer_email: orNull(string),
  test: flag,
  license_ids: list(number),
  /**
   * Amounts are in the currency's minor unit. All amounts and the currency are null in rows that were written before amounts were recorded.
   */
  amount: orNull(number),
  fee: orNull(number),
  currency: orNull(string),
  country: orNull(string),
  transaction_id: orNull(string),
  /** Links to the processor's own pages about the order and the subscription. */
  order_link: orNull(string),
  subscription_link: orNull(string),
  occurred_at: orNull(number),
  received_at: number,
  processed_at: orNull(number),
  /** The id of the order that the notification is about; null if it is about no order. */
  order_uid: orNull(string),
  /** The encrypted body of the notification; null if the body was erased. */
  payload: orNull(string),
});
export interface Payment extends Stored<typeof paymentSchema> {}

/** Maximum length of an encrypted payload in one row, in characters. A row can have 400 KB, but a notification can have up to 1 MB. */
const PART_LENGTH = 300_000;

const partsOf = (payload: string | null): string[] =>
  payload === null
    ? []
    : Array.from({ length: Math.ceil(payload.length / PART_LENGTH) }, (_, part) =>
        payload.slice(part * PART_LENGTH, (part + 1) * PART_LENGTH),
      );

/** The time at which a payment's rows expire, in epoch seconds. */
const endOf = ({ received_at }: Pick<Payment, 'received_at'>): number => Math.ceil(received_at / 1000) + PAYMENT_DAYS * 86_400;

/** Whether the row of a payment that was received at `received_at` still exists at `now` (both epoch ms). */
export const isLogged = (payment: Pick<Payment, 'received_at'>, now: number): boolean => now < endOf(payment) * 1000;

export function recordPayment({ payload, ...payment }: Payment): Action[] {
  const ttl = endOf(payment);
  const [first = null, ...further] = partsOf(payload);
  return [
    create({
      ...paymentKey(payment.id),
      version: 1,
      ...payment,
      payload: first,
      ...(further.length > 0 && { further_parts: further.length }),
      list_pk: paymentList(payment.product_id),
      list_sk: eventPosition(payment.received_at, payment.id),
      ...(payment.customer_email !== null && {
        email_pk: buyerList(payment.connection_id, payment.customer_email),
        email_sk: paymentPosition(payment),
      }),
      ...(payment.order_uid !== null && {
        lookup_pk: orderPayments(payment.connection_id, payment.order_uid),
        lookup_sk: paymentPosition(payment),
      }),
      ...(payment.status === 'held' && {
        pending_pk: HELD_PAYMENTS,
        pending_sk: heldPosition(payment.product_id, payment.order_uid, payment.id),
      }),
      ttl,
    }),
    ...further.map((text, index) => create({ ...paymentPartKey(payment.id, index + 1), payload: text, ttl })),
  ];
}

/** Number of further rows that contain parts of the payload. */
const furtherParts = ({ further_parts = 0 }: Item): number => Number(further_parts);

/** Reads the payments in rows of the log, with complete payloads. */
async function toPayments(table: Table, items: readonly Item[]): Promise<Readable<Payment>> {
  const { entities: rows, unreadable } = readRows(items, (item) => {
    const payment = toPayment(item);
    return {
      payment,
      parts: Array.from({ length: furtherParts(item) }, (_, index) => paymentPartKey(payment.id, index + 1)),
    };
  });
  const parts = await getItems(
    table,
    rows.flatMap((row) => row.parts),
  );
  let read = 0;
  const entities = rows.map(({ payment, parts: { length } }) => {
    const own = parts.slice(read, (read += length));
    // Parts of a payload can expire a few hours before the payment's row. The payload is then null.
    const isWhole = own.every((part) => part !== undefined);
    return {
      ...payment,
      payload:
        payment.payload === null || !isWhole ? null : payment.payload + own.map((part) => (part ? stringIn(part, 'payload') : '')).join(''),
    };
  });
  return { entities, unreadable };
}

/** The action that records the new status of a row of the payments log. The notification of the row was waiting or held until now. */
export const settlePayment = (
  { product_id, order_uid, id }: Pick<Payment, 'product_id' | 'order_uid' | 'id'>,
  { status, reason, license_ids, processed_at }: Pick<Payment, 'status' | 'reason' | 'license_ids' | 'processed_at'>,
): Action => {
  const isHeld = status === 'held';
  return {
    Update: {
      Key: paymentKey(id),
      UpdateExpression: `SET #status = :status, reason = :reason, license_ids = :licenses, processed_at = :at${isHeld ? ', pending_pk = :held, pending_sk = :position' : ' REMOVE pending_pk, pending_sk'}`,
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':status': status,
        ':reason': reason,
        ':licenses': license_ids,
        ':at': processed_at,
        ...(isHeld && { ':held': HELD_PAYMENTS, ':position': heldPosition(product_id, order_uid, id) }),
      },
    },
  };
};

/** The query of held payments; `only` is the only product whose payments are found, or null for all products. */
const heldQuery = (only: number | null) => ({
  IndexName: 'pending',
  KeyConditionExpression: only === null ? 'pending_pk = :held' : 'pending_pk = :held AND begins_with(pending_sk, :product)',
  ExpressionAttributeValues: { ':held': HELD_PAYMENTS, ...(only !== null && { ':product': heldOfProduct(only) }) },
});

/**
 * Uses one query to count, for each product, the orders that have held payments. The query reads at most {@link MAX_HELD_COUNTED} payments.
 *
 * @param only the only product whose orders are counted; null: all products
 */
export async function countHeld(table: Table, only: number | null): Promise<ReadonlyMap<number, number>> {
  const orders = new Set<string>();
  let left = MAX_HELD_COUNTED;
  for await (const page of queryPages(table, { ...heldQuery(only), Limit: MAX_HELD_COUNTED })) {
    for (const { pending_sk: position } of page) orders.add(String(position).split('#', 2).join('#'));
    left -= page.length;
    if (left <= 0) break;
  }
  const counts = new Map<number, number>();
  for (const order of orders) counts.set(Number.parseInt(order, 10), (counts.get(Number.parseInt(order, 10)) ?? 0) + 1);
  return counts;
}

/** The ids of all held payments of a product. */
export async function listHeld(table: Table, productId: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of queryPages(table, heldQuery(productId)))
    ids.push(...page.map(({ pending_sk: position }) => String(position).split('#').at(-1) ?? ''));
  return ids;
}

/** Stores a re-encrypted payload, unless the payload was erased or re-encrypted in the meantime. */
export async function replacePayload(table: Table, payment: Payment, sealed: string): Promise<void> {
  const [read = null] = partsOf(payment.payload);
  const [first = null, ...further] = partsOf(sealed);
  await transact(table, [
    {
      Update: {
        Key: paymentKey(payment.id),
        UpdateExpression: `SET payload = :sealed${further.length > 0 ? ', further_parts = :further' : ' REMOVE further_parts'}`,
        ConditionExpression: 'payload = :read',
        ExpressionAttributeValues: { ':sealed': first, ':read': read, ...(further.length > 0 && { ':further': further.length }) },
      },
    },
    ...further.map(
      (text, index): Action => ({ Put: { Item: { ...paymentPartKey(payment.id, index + 1), payload: text, ttl: endOf(payment) } } }),
    ),
  ]);
}

const toPayment = (item: Item): Payment => readRow(paymentSchema, item);

export async function getPayment(table: Table, id: string): Promise<Payment | undefined> {
  const item = await getItem(table, paymentKey(id));
  const {
    entities: [payment],
  } = await toPayments(table, item ? [item] : []);
  return item && (payment ?? toPayment(item));
}

/** Reads the given rows, and leaves out rows that do not belong to the payments log. */
const paymentItems = async (table: Table, keys: readonly Key[]): Promise<Item[]> =>
  (
    await getItems(
      table,
      keys.filter(({ sk }) => sk === paymentKey('').sk),
    )
  ).filter((item) => item !== undefined);

/** Reads the payments whose rows are among the given keys, in the order of the keys. */
export const readPayments = async (table: Table, keys: readonly Key[]): Promise<Readable<Payment>> =>
  toPayments(table, await paymentItems(table, keys));

/** Maximum number of rows of the payments log that are erased in one transaction. Each row can have up to 4 further parts. */
const ERASED_TOGETHER = 15;

/** Removes the buyer's e-mail address and the payload from the given rows. Rows that do not belong to the payments log stay unchanged. */
export async function erasePayments(table: Table, keys: readonly Key[]): Promise<void> {
  const items = (await paymentItems(table, keys)).filter(({ payload, customer_email }) => payload !== null || customer_email !== null);
  for (const some of chunks(items, ERASED_TOGETHER)) await transact(table, some.flatMap(erasePayment));
}

function erasePayment(item: Item): Action[] {
  const id = stringIn(item, 'id');
  return [
    {
      Update: {
        Key: paymentKey(id),
        UpdateExpression: 'SET payload = :none, customer_email = :none REMOVE email_pk, email_sk, further_parts',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':none': null },
      },
    },
    ...Array.from({ length: furtherParts(item) }, (_, index): Action => ({ Delete: { Key: paymentPartKey(id, index + 1) } })),
  ];
}

export interface PaymentFilter {
  readonly status?: PaymentStatus | undefined;
  readonly connection_id?: number | undefined;
  /** The service's own ids of the orders that have the order id in the filter; undefined if the filter has no order id. */
  readonly orders?: ReadonlySet<string> | undefined;
}

/** Maximum number of rows that one call reads, so that the call returns in time even if few rows match the filter. */
const MAX_ROWS = 10_000;
const PAGE = 200;
/**
 * Approximate maximum length of all encrypted payloads in one list, in characters. The payloads of a longer list would not fit into a
 * response.
 */
const MAX_LENGTH = 8_000_000;

/** Lists up to `limit` rows of a product's payments log that are older than `before`, newest first. */
export async function listPayments(
  table: Table,
  productId: number,
  filter: PaymentFilter,
  before: string | undefined,
  limit: number,
): Promise<{ payments: readonly Payment[]; unreadable: number; next?: string }> {
  const reader = new ListReader(toPayment);
  const { status, connection_id, orders } = filter;
  let length = 0;
  const { entries, last } = await scanPage(
    table,
    { ...newestFirst(paymentList(productId), before, 'list'), Limit: PAGE },
    {
      load: (row) => status === undefined || row['status'] === status,
      keep: (item) => {
        const payment = reader.read(item);
        const matches =
          payment &&
          (status === undefined || payment.status === status) &&
          (connection_id === undefined || payment.connection_id === connection_id) &&
          (orders === undefined || (payment.order_uid !== null && orders.has(payment.order_uid)));
        return matches ? { item, length: (payment.payload?.length ?? 0) * (1 + furtherParts(item)) } : undefined;
      },
      limit,
      fits: (entry, place) => {
        length += entry.length;
        return place === 0 || length <= MAX_LENGTH;
      },
      budget: MAX_ROWS,
      first: limit + 1,
    },
  );
  const { entities: payments, unreadable } = await toPayments(
    table,
    entries.map(({ item }) => item),
  );
  return { payments, unreadable: reader.unreadable + unreadable, ...(last && { next: String(last['list_sk']) }) };
}

/** The position of a row in the payments log. */
export const paymentPosition = ({ received_at, id }: Pick<Payment, 'received_at' | 'id'>): string => eventPosition(received_at, id);
