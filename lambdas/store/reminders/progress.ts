import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { remindersOf } from '../../domain/mail-settings';
import type { Product } from '../../domain/product';
import { REMINDER_PRODUCTS, reminderProductKey } from '../keys';
import { RowReader } from '../row';
import { conditionHeld, queryPages, retryTransient, type Table } from '../table';
import type { Action } from '../transaction';

/** The products that have reminders, and how far the worker has come with each reminder. */

/** The progress with one reminder. Times are epoch ms. */
export interface Progress {
  /** Every license whose reminder was due until then was looked at. */
  readonly done: number;
  /** Where an unfinished look continues: a position in the index, after which it has not looked yet. */
  readonly past?: string;
}

/** A product with reminders. */
export interface ReminderProduct {
  readonly product_id: number;
  /** By the name of the reminder and the time when it was added. */
  readonly progress: Readonly<Record<string, Progress>>;
}

/** The actions that list a product when it gets its first reminder, and remove it from the list with the last one. */
export function listReminders(before: Product, after: Product): Action[] {
  const [had, has] = [before, after].map((product) => remindersOf(product).length > 0);
  if (had === has) return [];
  const key = reminderProductKey(after.id);
  return has ? [{ Put: { Item: { ...key, version: 1, product_id: after.id, progress: '{}' } } }] : [{ Delete: { Key: key } }];
}

/** All products with reminders. */
export async function readReminderProducts(table: Table): Promise<ReminderProduct[]> {
  const products: ReminderProduct[] = [];
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :all',
    ExpressionAttributeValues: { ':all': REMINDER_PRODUCTS },
  })) {
    for (const item of page) {
      const row = new RowReader(item);
      products.push({ product_id: row.number('product_id'), progress: row.json('progress') });
    }
  }
  return products;
}

/** Records the progress with a product, unless it has no reminders any more. */
export function saveProgress(table: Table, { product_id, progress }: ReminderProduct): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: reminderProductKey(product_id),
    UpdateExpression: 'SET progress = :progress',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':progress': JSON.stringify(progress) },
  });
  return conditionHeld(retryTransient(table, (options) => table.client.send(command, options)));
}
