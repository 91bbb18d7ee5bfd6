import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Device, License } from '../../domain/license';
import { conditionHeld, retryTransient, type Table } from '../table';
import { deviceRowKey } from './rows';

/**
 * Stores the labels and the lease of a bound device after a check or an activation.
 *
 * @returns false if the device was freed, or its lease was renewed by another request, since it was read
 */
export async function updateBoundDevice(table: Table, license: License, read: Device, device: Device): Promise<boolean> {
  const isLeased = read.lease_expires_at !== device.lease_expires_at;
  const lease = read.lease_expires_at;
  const command = new UpdateCommand({
    TableName: table.name,
    Key: deviceRowKey(license, device.fingerprint),
    UpdateExpression: `SET #name = :name, platform = :platform${isLeased ? ', lease_expires_at = :lease' : ''}`,
    // A device that was freed and bound again in the meantime is a different one.
    ConditionExpression: `epoch = :epoch AND activated_at = :activated_at${isLeased ? ` AND ${lease === null ? 'attribute_not_exists(lease_expires_at)' : 'lease_expires_at = :read'}` : ''}`,
    ExpressionAttributeNames: { '#name': 'name' },
    ExpressionAttributeValues: {
      ':name': device.name,
      ':platform': device.platform,
      ':epoch': device.epoch,
      ':activated_at': device.activated_at,
      ...(isLeased && { ':lease': device.lease_expires_at, ...(lease !== null && { ':read': lease }) }),
    },
  });
  return conditionHeld(retryTransient(table, (options) => table.client.send(command, options)));
}
