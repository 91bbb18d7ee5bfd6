import * as z from 'zod/mini';
import { remindersOf } from '../../domain/mail-settings';
import type { Product } from '../../domain/product';
import { REMINDER_PRODUCTS, reminderProductKey } from '../keys';
import { readRow } from '../row';
import { queryAll, updateItem, wholePartition } from '../items';
import type { Table } from '../table';
import type { Action } from '../transaction';
import { json, number, type Stored } from '../../domain/stored';

/** The list of products with reminders. It contains the worker's progress with each reminder. */

/** The worker's progress with one reminder. All times are in epoch ms. */
export interface Progress {
  /** All licenses whose reminder was due at or before this time were processed. */
  readonly done: number;
  /** The position in the index after which an unfinished round continues. */
  readonly past?: string;
}

/** A product that has reminders, and the worker's progress. */
const reminderProductSchema = z.object({
  product_id: number,
  /** The progress with each reminder. The key of an entry is the name of the reminder and the time when the reminder was added. */
  progress: json<Readonly<Record<string, Progress>>>(),
});
export interface ReminderProduct extends Stored<typeof reminderProductSchema> {}

/** The actions that add a product to the list when it gets its first reminder, and remove it when it loses its last reminder. */
export function listReminders(before: Product, after: Product): Action[] {
  const [had, has] = [before, after].map((product) => remindersOf(product).length > 0);
  if (had === has) return [];
  const key = reminderProductKey(after.id);
  return has ? [{ Put: { Item: { ...key, version: 1, product_id: after.id, progress: '{}' } } }] : [{ Delete: { Key: key } }];
}

/** Reads all products that have reminders. */
export async function readReminderProducts(table: Table): Promise<ReminderProduct[]> {
  const rows = await queryAll(table, wholePartition(REMINDER_PRODUCTS));
  return rows.map((row) => readRow(reminderProductSchema, row));
}

/** Records the progress with a product. Returns false if the product no longer has reminders. */
export async function saveProgress(table: Table, { product_id, progress }: ReminderProduct): Promise<boolean> {
  const { isWritten } = await updateItem(table, {
    Key: reminderProductKey(product_id),
    UpdateExpression: 'SET progress = :progress',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':progress': JSON.stringify(progress) },
  });
  return isWritten;
}
