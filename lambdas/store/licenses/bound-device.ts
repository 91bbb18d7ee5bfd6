import type { Device, License } from '../../domain/license';
import { updateItem } from '../items';
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
  const next = device.lease_expires_at;
  const isRenamed = read.name !== device.name;
  const isSeenOnly = !isLeased && !isRenamed && read.platform === device.platform;
  // The search entry of a renamed device gets the new name in the same write.
  const terms = isRenamed ? Object.entries(deviceTermFields(license, device.name)) : [];
  const set = isSeenOnly
    ? ['last_seen_on = :seen']
    : [
        '#name = :name',
        'platform = :platform',
        'last_seen_on = :seen',
        ...(isLeased && next !== null ? ['lease_expires_at = :lease'] : []),
        ...terms.flatMap(([name, value]) => (value === undefined ? [] : [`${name} = :${name}`])),
      ];
  const removed = [
    ...(isLeased && next === null ? ['lease_expires_at'] : []),
    ...terms.flatMap(([name, value]) => (value === undefined ? [name] : [])),
  ];
  // A device that was freed and activated again in the meantime counts as a different device.
  const conditions = [
    'epoch = :epoch AND activated_at = :activated_at',
    ...(isLeased ? [lease === null ? 'attribute_not_exists(lease_expires_at)' : 'lease_expires_at = :read'] : []),
    // Only the first of several validations on the same day writes the day.
    ...(isSeenOnly ? ['(attribute_not_exists(last_seen_on) OR last_seen_on < :seen)'] : []),
  ];
  const { isWritten } = await updateItem(table, {
    Key: deviceRowKey(license, device.fingerprint),
    UpdateExpression: `SET ${set.join(', ')}${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''}`,
    ConditionExpression: conditions.join(' AND '),
    ...(!isSeenOnly && { ExpressionAttributeNames: { '#name': 'name' } }),
    ExpressionAttributeValues: {
      ...(!isSeenOnly && { ':name': device.name, ':platform': device.platform }),
      ...Object.fromEntries(terms.flatMap(([name, value]) => (value === undefined ? [] : [[`:${name}`, value as string]]))),
      ':seen': device.last_seen_on,
      ':epoch': device.epoch,
      ':activated_at': device.activated_at,
      ...(isLeased && { ...(next !== null && { ':lease': next }), ...(lease !== null && { ':read': lease }) }),
    },
  });
  // If the update only stores the day of last use, it does not matter whether the day was written: the response describes the device as it
  // was read.
  return isWritten || isSeenOnly;
}
