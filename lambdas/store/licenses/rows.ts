import type { Device, License } from '../../domain/license';
import { deviceKey, devicePosition, emailList, licenseKey, licenseList, listPosition } from '../keys';
import type { Item } from '../table';

/** How licenses and their devices are stored. */

export const licenseItem = (license: License): Item => ({
  ...licenseKey(license.product_id, license.key),
  list_pk: licenseList(license.product_id),
  list_sk: listPosition(license.id),
  ...(license.customer_email !== null && {
    email_pk: emailList(license.product_id, license.customer_email),
    email_sk: listPosition(license.id),
  }),
  ...license,
  license_type_id: license.license_type.id,
});

export const toLicense = ({ pk, sk, list_pk, list_sk, email_pk, email_sk, license_type_id, ...license }: Item): License =>
  license as unknown as License;

export const deviceItem = (license: License, device: Device): Item => ({
  ...deviceKey(license.product_id, license.key, device.fingerprint),
  list_pk: licenseList(license.product_id),
  list_sk: devicePosition(license.id, device.fingerprint),
  ...device,
});

export const toDevice = ({ pk, sk, list_pk, list_sk, ...device }: Item): Device => device as unknown as Device;
