import type { License } from '../domain/license';
import type { LicenseType } from '../domain/license-type';
import { trialRemovalTime } from '../domain/trial';
import { expiryPosition, licenseTypeKey, selfServiceKey, TRIAL_REMOVALS, trialKey, type Key } from './keys';
import { toLicenseType } from './license-types';
import { getItems, keyOf, queryPages, updateItem } from './items';
import { numberIn, stringIn } from './row';
import type { Table } from './table';
import { create, type Action } from './transaction';

/**
 * The marks of devices that received a trial. A mark is kept forever, so that a device gets only one trial of a product. While a trial may
 * have to be removed, its mark is listed in the index `lookup` by the time of the removal. This time may be earlier than the actual time,
 * because a change of the license does not move the mark. The worker that removes trials corrects the time when it finds the mark.
 */

/**
 * Reads the license that the device already received as a trial. If the device received no trial, reads the license type that client apps
 * may issue themselves, unless that type is archived.
 */
export async function readTrial(table: Table, productId: number, fingerprint: string): Promise<{ type?: LicenseType; licenseId?: number }> {
  const [offer, trial] = await getItems(table, [selfServiceKey(productId), trialKey(productId, fingerprint)]);
  const licenseId = trial && numberIn(trial, 'license_id');
  if (licenseId !== undefined) return { licenseId };
  const [item] = offer ? await getItems(table, [licenseTypeKey(productId, numberIn(offer, 'license_type_id'))]) : [];
  const type = item && toLicenseType(item);
  return type && !type.archived ? { type } : {};
}

/** The action that marks a device that receives a trial. The transaction fails if the device already received one. */
export function recordTrial(license: License, fingerprint: string): Action {
  const removal = trialRemovalTime(license);
  return create({
    ...trialKey(license.product_id, fingerprint),
    license_id: license.id,
    ...(removal !== null && { lookup_pk: TRIAL_REMOVALS, lookup_sk: expiryPosition(removal, license.id) }),
  });
}

/** A mark whose trial may have to be removed. */
export interface ListedTrial {
  readonly key: Key;
  readonly licenseId: number;
  readonly position: string;
}

/** The listed trials whose time of removal has come, the earliest first. */
export async function* dueTrials(table: Table, now: number): AsyncGenerator<ListedTrial> {
  for await (const page of queryPages(table, {
    IndexName: 'lookup',
    KeyConditionExpression: 'lookup_pk = :list AND lookup_sk < :now',
    ExpressionAttributeValues: { ':list': TRIAL_REMOVALS, ':now': expiryPosition(now + 1, 0) },
    Limit: 100,
  }))
    yield* page.map((item) => {
      const position = stringIn(item, 'lookup_sk');
      return { key: keyOf(item), licenseId: Number(position.split('#')[1]), position };
    });
}

/**
 * Lists a trial again with another time of its removal, or no longer lists it.
 *
 * @param removal epoch ms; null if the trial is not removed any more
 */
export async function relistTrial(table: Table, { key, licenseId }: ListedTrial, removal: number | null): Promise<void> {
  await updateItem(table, {
    Key: key,
    ...(removal === null
      ? { UpdateExpression: 'REMOVE lookup_pk, lookup_sk' }
      : { UpdateExpression: 'SET lookup_sk = :position', ExpressionAttributeValues: { ':position': expiryPosition(removal, licenseId) } }),
  });
}
