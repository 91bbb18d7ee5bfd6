import type { DeliveryRecord } from '../../domain/delivery';
import { lookupKey } from '../../domain/license-key';
import { deviceTerm } from '../../domain/search-term';
import { assign } from '../action';
import { updateItem } from '../items';
import { deviceKey, licenseKey } from '../keys';
import type { Table } from '../table';
import { deviceTermFields } from './pointer';

/** The part of the payload of `license.activated` that names the device. */
interface Activated {
  readonly data: {
    readonly license?: { readonly id: number; readonly key: string; readonly created_at: string };
    readonly device?: { readonly fingerprint: string; readonly name: string; readonly activated_at: string };
  };
}

/**
 * Makes the device of an activation findable by its name. The activation itself must not pay for the index entry, so a worker calls this
 * function when it handles the event of the activation. Nothing happens if the device has been freed, renamed or erased in the meantime.
 */
export async function indexDevice(table: Table, { event, product_id, body }: DeliveryRecord): Promise<void> {
  if (event !== 'license.activated' || body === undefined) return;
  const { license, device } = (JSON.parse(body) as Activated).data;
  if (!license || !device || deviceTerm(device.name) === null) return;
  const key = lookupKey(license.key);
  if (key === undefined) return;
  const assigned = assign(deviceTermFields({ ...license, product_id, created_at: Date.parse(license.created_at) }, device.name));
  await updateItem(table, {
    Key: deviceKey(licenseKey(product_id, key), device.fingerprint),
    ...assigned,
    ConditionExpression: '#name = :name AND activated_at = :activated_at',
    ExpressionAttributeNames: { ...assigned.ExpressionAttributeNames, '#name': 'name' },
    ExpressionAttributeValues: {
      ...assigned.ExpressionAttributeValues,
      ':name': device.name,
      ':activated_at': Date.parse(device.activated_at),
    },
  });
}
