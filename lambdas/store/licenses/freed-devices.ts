import type { Transition } from '../../domain/transition';
import { DEVICE_PREFIX, FREED_DEVICES, freedDevicesKey } from '../keys';
import { numberIn, stringIn } from '../row';
import { deleteItem, keyOf, queryPages } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import type { Action } from '../transaction';
import { endDeviceKey } from './device-keys';
import { licenseRowKey, toDevice } from './rows';
import { chunks } from '../chunks';

/**
 * Removes the rows of devices that a reset or a reissue has freed. These rows no longer count as devices. A worker removes the rows later,
 * so that a reset does not wait for thousands of deletions. The transaction of the reset writes a note with the partition of these rows.
 */

/** The action that marks the rows of a license's freed devices for removal. There is no action if the license had no devices. */
export const freedDevices = ({ before, at }: Pick<Transition, 'before' | 'at'>): readonly Action[] =>
  before.seats_used === 0
    ? []
    : [
        {
          Put: {
            Item: {
              ...freedDevicesKey(licenseRowKey(before).pk, before.epoch),
              epoch: before.epoch,
              license_pk: licenseRowKey(before).pk,
              freed_at: at,
            },
          },
        },
      ];

/** Number of deletions that run at the same time. */
const PARALLEL = 20;

/**
 * Removes at most `max` rows of freed devices; the next run removes further rows.
 *
 * @returns the number of removed rows
 */
export async function removeFreedDevices(table: Table, max: number): Promise<number> {
  let removed = 0;
  for await (const notes of queryPages(table, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': FREED_DEVICES },
    Limit: 100,
  })) {
    for (const note of notes) {
      const [pk, epoch, freedAt] = [stringIn(note, 'license_pk'), numberIn(note, 'epoch'), numberIn(note, 'freed_at')];
      const { count, isComplete } = await removeDevices(table, { pk, epoch, freedAt }, max - removed);
      removed += count;
      if (!isComplete) return removed;
      await remove(table, note);
    }
  }
  return removed;
}

async function removeDevices(
  table: Table,
  { pk, epoch, freedAt }: { readonly pk: string; readonly epoch: number; readonly freedAt: number },
  max: number,
): Promise<{ count: number; isComplete: boolean }> {
  let count = 0;
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :device)',
    FilterExpression: 'epoch <= :epoch',
    ExpressionAttributeValues: { ':pk': pk, ':device': DEVICE_PREFIX, ':epoch': epoch },
  })) {
    for (const batch of chunks(page, PARALLEL)) {
      if (count >= max) return { count, isComplete: false };
      await Promise.all(
        batch.map(async (device) => {
          const { sign_in } = toDevice(device);
          if (sign_in) await endDeviceKey(table, sign_in, freedAt);
          await remove(table, device, epoch);
        }),
      );
      count += batch.length;
    }
  }
  return { count, isComplete: true };
}

/** Deletes a row. A device is deleted only if it was not activated again in the meantime. */
async function remove(table: Table, item: Item, epoch?: number): Promise<void> {
  await deleteItem(table, {
    Key: keyOf(item),
    ...(epoch !== undefined && { ConditionExpression: 'epoch <= :epoch', ExpressionAttributeValues: { ':epoch': epoch } }),
  });
}
