import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Transition } from '../../domain/transition';
import { DEVICE_PREFIX, freedDevicesKey, FREED_DEVICES } from '../keys';
import { RowReader } from '../row';
import { conditionHeld, queryPages, retryTransient, type Item, type Table } from '../table';
import type { Action } from '../transaction';
import { licenseRowKey } from './rows';
import { chunks } from '../chunks';

/**
 * The rows of devices that a reset or a reissue has freed: they no longer count, and are removed later, so that
 * neither waits for thousands of them. A note in the transaction of the change says where they are.
 */

/** Notes that the devices of the license as it was are to be removed; nothing when it had none. */
export const freedDevices = ({ before }: Transition): readonly Action[] =>
  before.seats_used === 0
    ? []
    : [
        {
          Put: {
            Item: { ...freedDevicesKey(licenseRowKey(before).pk, before.epoch), epoch: before.epoch, license_pk: licenseRowKey(before).pk },
          },
        },
      ];

/** Deletes that are under way at once. */
const PARALLEL = 20;

/**
 * Removes rows of freed devices, at most `max`; what is left is found by the next run.
 *
 * @returns how many rows were removed
 */
export async function removeFreedDevices(table: Table, max: number): Promise<number> {
  let removed = 0;
  for await (const notes of queryPages(table, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': FREED_DEVICES },
    Limit: 100,
  })) {
    for (const note of notes) {
      const row = new RowReader(note);
      const { count, isComplete } = await removeDevices(table, row.string('license_pk'), row.number('epoch'), max - removed);
      removed += count;
      if (!isComplete) return removed;
      await remove(table, note);
    }
  }
  return removed;
}

async function removeDevices(table: Table, pk: string, epoch: number, max: number): Promise<{ count: number; isComplete: boolean }> {
  let count = 0;
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :device)',
    FilterExpression: 'epoch <= :epoch',
    ExpressionAttributeValues: { ':pk': pk, ':device': DEVICE_PREFIX, ':epoch': epoch },
  })) {
    for (const batch of chunks(page, PARALLEL)) {
      if (count >= max) return { count, isComplete: false };
      await Promise.all(batch.map((device) => remove(table, device, epoch)));
      count += batch.length;
    }
  }
  return { count, isComplete: true };
}

/** Deletes a row; a device only when it was not bound again meanwhile. */
async function remove(table: Table, item: Item, epoch?: number): Promise<void> {
  const row = new RowReader(item);
  const command = new DeleteCommand({
    TableName: table.name,
    Key: { pk: row.string('pk'), sk: row.string('sk') },
    ...(epoch !== undefined && { ConditionExpression: 'epoch <= :epoch', ExpressionAttributeValues: { ':epoch': epoch } }),
  });
  await conditionHeld(retryTransient(table, (options) => table.client.send(command, options)));
}
