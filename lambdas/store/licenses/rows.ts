import { deviceSchema, licenseSchema, termsSchema, type Device, type License } from '../../domain/license';
import { lookupKey } from '../../domain/license-key';
import {
  deviceKey,
  devicePosition,
  emailList,
  expiryList,
  expiryPosition,
  fingerprintList,
  licenseKey,
  licenseList,
  listPosition,
  unverifiedEmailList,
  type Key,
} from '../keys';
import { readRow, rowFields } from '../row';
import type { Item } from '../codec';

/** The rows of licenses and devices. */

/** The format version of the license rows that this version of the service writes. */
const LICENSE_VERSION = 2;

/**
 * The key of a license's row.
 *
 * @throws Error if the license key has an invalid format, which no stored license has
 */
export function licenseRowKey({ product_id, key }: Pick<License, 'product_id' | 'key'>): Key {
  const found = lookupKey(key);
  if (found === undefined) throw new Error('The license has a key that cannot be looked up');
  return licenseKey(product_id, found);
}

export const deviceRowKey = (license: Pick<License, 'product_id' | 'key'>, fingerprint: string): Key =>
  deviceKey(licenseRowKey(license), fingerprint);

export const licenseItem = (license: License): Item => {
  const { metadata, license_type, product_id, id, customer_email, unverified_email, expires_at } = license;
  const emailPartition =
    customer_email !== null
      ? emailList(product_id, customer_email)
      : unverified_email !== null
        ? unverifiedEmailList(product_id, unverified_email)
        : undefined;
  return {
    ...licenseRowKey(license),
    version: LICENSE_VERSION,
    list_pk: licenseList(product_id),
    list_sk: listPosition(id),
    ...(emailPartition !== undefined && { email_pk: emailPartition, email_sk: listPosition(id) }),
    ...(expires_at !== null && { lookup_pk: expiryList(product_id), lookup_sk: expiryPosition(expires_at, id) }),
    ...rowFields(licenseSchema, license),
    license_type: rowFields(termsSchema, license_type),
    license_type_id: license_type.id,
    metadata: metadata.ref === undefined ? metadata.json : undefined,
    metadata_ref: metadata.ref,
  };
};

/** @throws UnreadableRow */
export const toLicense = (item: Item): License => {
  const { metadata, metadata_ref: ref } = item as { metadata?: unknown; metadata_ref?: unknown };
  return readRow(licenseSchema, { ...item, metadata: ref === undefined ? { json: metadata } : { ref } });
};

/**
 * The marker that replaces the row of a license that was moved to a new key. The old key is dead from then on. The marker does not contain
 * the new key. (docs/spec/licenses.md, Reissue)
 */
export const deadKeyItem = (license: Pick<License, 'product_id' | 'key' | 'id'>): Item => ({
  ...licenseRowKey(license),
  version: LICENSE_VERSION,
  dead: true,
  id: license.id,
});

/** Whether a row is the marker of a key whose license was moved to another key. */
export const isDeadKey = (item: Item): boolean => item['dead'] === true;

export const deviceItem = (license: License, device: Device): Item => ({
  ...deviceRowKey(license, device.fingerprint),
  list_pk: licenseList(license.product_id),
  list_sk: devicePosition(license.id, device.fingerprint),
  lookup_pk: fingerprintList(device.fingerprint),
  lookup_sk: listPosition(license.id),
  ...rowFields(deviceSchema, device),
});

/** @throws UnreadableRow */
export const toDevice = (item: Item): Device => readRow(deviceSchema, item);
