import type { Device, License } from '../../domain/license';
import { assign } from '../action';
import { updateItem } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { deviceTermFields } from './pointer';
import { deviceRowKey } from './rows';

/**
 * Stores the labels, the lease and the last day of use of a bound device after a validation or an activation.
 *
 * @returns false if the device was freed or another request renewed its lease after the device was read, unless only the day of the last use
 * changes
 */
export async function updateBoundDevice(table: Table, license: License, read: Device, device: Device): Promise<boolean> {
  const isLeased = read.lease_expires_at !== device.lease_expires_at;
  const lease = read.lease_expires_at;
  const { name, platform, last_seen_on, app_version, country, lease_expires_at } = device;
  const isLabelled = read.name !== name || read.platform !== platform || (app_version !== null && read.app_version !== app_version);
  const isUseOnly = !isLeased && !isLabelled;
  const fields: Item = {
    last_seen_on,
    app_version,
    country,
    ...(!isUseOnly && { name, platform }),
    ...(isLeased && { lease_expires_at }),
    // The search entry of a renamed device gets the new name in the same write.
    ...(read.name !== name && deviceTermFields(license, name)),
  };
  const assigned = assign(fields);
  // A device that was freed and activated again in the meantime counts as a different device.
  const conditions = [
    'epoch = :epoch AND activated_at = :activated_at',
    ...(isLeased ? [lease === null ? 'attribute_not_exists(lease_expires_at)' : '#lease_expires_at = :read'] : []),
    // Only the first of several validations on the same day writes the day.
    ...(isUseOnly ? ['(attribute_not_exists(last_seen_on) OR #last_seen_on < :last_seen_on)'] : []),
  ];
  const { isWritten } = await updateItem(table, {
    Key: deviceRowKey(license, device.fingerprint),
    ...assigned,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeValues: {
      ...assigned.ExpressionAttributeValues,
      ':epoch': device.epoch,
      ':activated_at': device.activated_at,
      ...(isLeased && lease !== null && { ':read': lease }),
    },
  });
  // If the update only stores the use of the device on this day, it does not matter whether it was written: the response describes the device
  // as it was read.
  return isWritten || isUseOnly;
}
