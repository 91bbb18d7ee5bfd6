import { storedHashes } from '../../domain/audit';
import type { Delivery } from '../../domain/delivery';
import type { License } from '../../domain/license';
import { reminderName } from '../../domain/mail-settings';
import type { Reminded } from '../../domain/reminders';
import { recordEvent } from '../events/record';
import { remindedKey, reminderSlotKey, unsubscribedKey, type Key } from '../keys';
import { retry, TRY_AGAIN } from '../retry';
import { numberIn } from '../row';
import { getItem, getItems, updateItem } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { create, transact } from '../transaction';

/** Records which reminders were sent, which e-mail addresses have unsubscribed, and when the next reminder may be sent. */

/** A reminder that is due for a license. */
export interface DueReminder {
  readonly license: License;
  readonly reminded: Reminded;
}

/** Number of days for which a reminder's mark is kept. A mark is kept longer than the period that the worker checks for due reminders. */
const KEPT_DAYS = 120;

const markKey = ({ license, reminded }: DueReminder) => remindedKey(license.id, reminderName(reminded), reminded.date);

/** The keys of the rows that may record that the license's e-mail address has unsubscribed. */
const wishKeys = ({ product_id, customer_email }: Pick<License, 'product_id' | 'customer_email'>): Key[] =>
  storedHashes(customer_email ?? '').map((hash) => unsubscribedKey(product_id, hash));

/** Selects the due reminders that were not recorded yet and whose e-mail address has not unsubscribed. */
export async function withoutSent(table: Table, due: readonly DueReminder[]): Promise<DueReminder[]> {
  const marks = await getItems(table, due.map(markKey));
  const fresh = due.filter((_, index) => marks[index] === undefined);
  const wishes = new Map(fresh.flatMap(({ license }) => wishKeys(license).map((key) => [`${key.pk} ${key.sk}`, { key, license }])));
  const rows = await getItems(
    table,
    [...wishes.values()].map(({ key }) => key),
  );
  const refused = new Set(
    [...wishes.values()].filter((_, index) => rows[index] !== undefined).map(({ license }) => license.customer_email),
  );
  return fresh.filter(({ license }) => !refused.has(license.customer_email));
}

/** Maximum number of reminders that are recorded in one transaction. */
const RECORDED_TOGETHER = 25;

/**
 * Records the mails of reminders. The same transaction stores a mark for each reminder. A reminder that has a mark is not recorded again,
 * even if two workers run at the same time or a worker crashes.
 *
 * @returns the mails that this call has recorded
 */
export async function recordReminders(
  table: Table,
  reminders: readonly (DueReminder & { readonly mail: Delivery })[],
  now: number,
): Promise<Delivery[]> {
  const recorded: Delivery[] = [];
  const record = async (batch: typeof reminders): Promise<void> => {
    const { committed } = await transact(
      table,
      batch.flatMap((one) => [
        create({ ...markKey(one), version: 1, at: now, ttl: Math.ceil(now / 1000) + KEPT_DAYS * 86_400 }),
        recordEvent(one.mail),
      ]),
    );
    if (committed) recorded.push(...batch.map(({ mail }) => mail));
    else if (batch.length > 1) for (const one of batch) await record([one]);
  };
  for (let first = 0; first < reminders.length; first += RECORDED_TOGETHER) await record(reminders.slice(first, first + RECORDED_TOGETHER));
  return recorded;
}

/**
 * Reserves the next times at which the deployment may send reminders. Each reservation is one atomic addition, so that any number of
 * functions can reserve times concurrently.
 *
 * @param spacingMs the time between two mails, in ms
 * @param until no times are reserved if the first of them would be later than `until`, epoch ms
 * @returns the first reserved time, epoch ms; undefined if no times were reserved
 */
export function reserveSlots(table: Table, count: number, spacingMs: number, now: number, until: number): Promise<number | undefined> {
  const length = Math.ceil(count * spacingMs);
  let next = 0;
  const move = async (expression: string, condition: string, values: Item): Promise<boolean> => {
    const update = {
      Key: reminderSlotKey,
      UpdateExpression: `SET next_at = ${expression}`,
      ConditionExpression: condition,
      ExpressionAttributeValues: { ':now': now, ':length': length, ...values },
    };
    const { isWritten, item = {} } = await updateItem(table, update, 'UPDATED_NEW');
    if (isWritten) next = numberIn(item, 'next_at');
    return isWritten;
  };
  return retry(table, 'The schedule of reminders', async () => {
    if (await move('next_at + :length', 'next_at BETWEEN :now AND :until', { ':until': until })) return next - length;
    if (await move(':now + :length', 'attribute_not_exists(next_at) OR next_at < :now', {})) return now;
    const item = await getItem(table, reminderSlotKey);
    return item && numberIn(item, 'next_at') > until ? undefined : TRY_AGAIN;
  });
}

/** Whether a license's e-mail address has unsubscribed from a product's reminders. */
export const hasUnsubscribed = async (table: Table, license: Pick<License, 'product_id' | 'customer_email'>): Promise<boolean> =>
  (await Promise.all(wishKeys(license).map((key) => getItem(table, key)))).some((row) => row !== undefined);

/** Records that an e-mail address has unsubscribed from a product's reminders. The row never expires and does not contain the address. */
export async function unsubscribe(table: Table, productId: number, hash: string, now: number): Promise<void> {
  await updateItem(table, {
    Key: unsubscribedKey(productId, hash),
    UpdateExpression: 'SET #at = if_not_exists(#at, :now), version = :version',
    ExpressionAttributeNames: { '#at': 'at' },
    ExpressionAttributeValues: { ':now': now, ':version': 1 },
  });
}
