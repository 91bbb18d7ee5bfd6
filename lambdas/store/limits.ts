import {
  BUYER_KEY_MAILS_PER_DAY,
  CODE_MAILS,
  CODE_MAILS_PER_MINUTE,
  DEVICE_MAILS_PER_DAY,
  EMAIL_CHANGES_PER_DAY,
  INVITATIONS_PER_DAY,
  KEY_MAILS_PER_HOUR,
  TRIALS_PER_DAY,
} from '../contract/limits';
import { addressHash } from '../domain/audit';
import { DAY_MS, dateOf, HOUR_MS, MINUTE_MS } from '../domain/time';
import { getItem, getItems, updateItem } from './items';
import { limitKey, type Key } from './keys';
import { retry, TRY_AGAIN } from './retry';
import { numberIn } from './row';
import type { Table } from './table';
import type { Action } from './transaction';

/**
 * A limit is a maximum number of uses within any period of a given length. Concurrent requests cannot exceed a limit. Each use is one
 * conditional update in the transaction of the limited action, so that only successful actions count. A limit applies to one product:
 * actions in one product do not count in another product, and are not visible there.
 */

/**
 * Counts a use. The row contains the times of the last `uses` uses; `used_1` is the latest time. If the oldest of these times is still
 * within the period before `now`, the maximum is reached and the transaction fails. Otherwise each time moves to the next field, and
 * `used_1` becomes `now`. DynamoDB computes all new values from the values before the update.
 *
 * @param now epoch ms
 */
function countUse(what: string, subject: string, uses: number, periodMs: number, now: number): Action {
  const places = Array.from({ length: uses }, (_, index) => `used_${index + 1}`);
  const moved = places.slice(1).map((place, index) => `${place} = if_not_exists(${places[index]}, :never)`);
  const last = places.at(-1);
  return {
    Update: {
      Key: limitKey(what, subject),
      UpdateExpression: `SET ${['used_1 = :now', ...moved, '#ttl = :ttl'].join(', ')}`,
      ConditionExpression: `attribute_not_exists(${last}) OR ${last} <= :edge`,
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: {
        ':now': now,
        // DynamoDB refuses a value that the expression does not use.
        ...(moved.length > 0 && { ':never': 0 }),
        ':edge': now - periodMs,
        ':ttl': Math.ceil((now + periodMs) / 1000),
      },
    },
  };
}

/** Whether {@link countUse} would currently succeed. Another request may use the limit up in the meantime. */
async function mayUse(table: Table, what: string, subject: string, uses: number, periodMs: number, now: number): Promise<boolean> {
  const item = await getItem(table, limitKey(what, subject));
  const oldest = Number(item?.[`used_${uses}`] ?? 0);
  return oldest <= now - periodMs;
}

/**
 * The subject of a limit for an e-mail address in a product. The subject contains a hash of the address, which ignores case and does not
 * reveal the address.
 */
const ofAddress = (productId: number, address: string): string => `${productId}#${addressHash(address)}`;

/**
 * Counts a trial of a product, if fewer than `uses` trials were counted within the hour that begins with the first counted trial. The row
 * contains only the beginning of the hour and a number, because `uses` is too large for a list of times. The count is not part of a
 * transaction: apps of a product may start many trials at the same time, and transactions that change the same row would conflict. A trial
 * that is refused for another reason afterwards still counts.
 *
 * @param now epoch ms
 * @returns false if the maximum is reached
 * @throws StoreUnavailable if other requests keep starting a new hour until the time for retries ends
 */
export function countTrialOfProduct(table: Table, productId: number, uses: number, now: number): Promise<boolean> {
  const Key = limitKey('TRIALS', String(productId));
  const edge = now - HOUR_MS;
  const names = { '#count': 'count' };
  return retry(table, 'The number of trials', async () => {
    const counted = await updateItem(table, {
      Key,
      UpdateExpression: 'SET #count = #count + :one',
      ConditionExpression: 'since > :edge AND #count < :uses',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':one': 1, ':edge': edge, ':uses': uses },
    });
    if (counted.isWritten) return true;
    if (counted.item && (counted.item['since'] as number) > edge) return false;
    const begun = await updateItem(table, {
      Key,
      UpdateExpression: 'SET since = :now, #count = :one, #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(pk) OR since <= :edge',
      ExpressionAttributeNames: { ...names, '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':now': now, ':one': 1, ':edge': edge, ':ttl': Math.ceil((now + HOUR_MS) / 1000) },
    });
    return begun.isWritten ? true : TRY_AGAIN;
  });
}

/** Counts a trial that is started with an e-mail address. */
export const countTrial = (productId: number, address: string, now: number): Action =>
  countUse('TRIAL', ofAddress(productId, address), TRIALS_PER_DAY, DAY_MS, now);

/**
 * Counts a mail that contains a license key and that an operator has requested. The mail counts for the license and for the e-mail address.
 */
export const countKeyMail = (
  mail: { readonly product_id: number; readonly license_id: number | null },
  address: string,
  now: number,
): Action[] => [
  countUse('MAIL_LICENSE', String(mail.license_id), KEY_MAILS_PER_HOUR.license, HOUR_MS, now),
  countUse('MAIL_ADDRESS', ofAddress(mail.product_id, address), KEY_MAILS_PER_HOUR.address, HOUR_MS, now),
];

/** Counts a mail that contains a sign-in code for a product's portal. The count is kept per e-mail address. */
export const countCodeMail = (productId: number, address: string, now: number): Action =>
  countUse('PORTAL_CODE', ofAddress(productId, address), CODE_MAILS, 10 * MINUTE_MS, now);

/** Counts a mail that contains a sign-in code for a product's portal. The count is kept per product. */
export const countCodeMailOfProduct = (productId: number, now: number): Action =>
  countUse('PORTAL_CODES', String(productId), CODE_MAILS_PER_MINUTE, MINUTE_MS, now);

/** Counts a mail that contains a license key and that the license's buyer has requested. */
export const countBuyerKeyMail = (licenseId: number, now: number): Action =>
  countUse('PORTAL_KEY', String(licenseId), BUYER_KEY_MAILS_PER_DAY, DAY_MS, now);

/**
 * Counts an offline token that a buyer creates for a device, once a day. The tokens are not limited. The count limits the entries of the
 * audit log, which are kept for long.
 */
export const countOfflineToken = (licenseId: number, fingerprint: string, now: number): Action =>
  countUse('PORTAL_OFFLINE', `${licenseId}#${fingerprint}`, 1, DAY_MS, now);

/** Counts an approved sign-in about which mails are sent, for the device's license. */
export const countDeviceMail = (licenseId: number, now: number): Action =>
  countUse('DEVICE_MAIL', String(licenseId), DEVICE_MAILS_PER_DAY, DAY_MS, now);

/** Whether another mail about a sign-in may be sent for the license. */
export const mayMailDevice = (table: Table, licenseId: number, now: number): Promise<boolean> =>
  mayUse(table, 'DEVICE_MAIL', String(licenseId), DEVICE_MAILS_PER_DAY, DAY_MS, now);

/** Counts a buyer's request to change the e-mail address. */
export const countEmailChange = (productId: number, address: string, now: number): Action =>
  countUse('PORTAL_EMAIL', ofAddress(productId, address), EMAIL_CHANGES_PER_DAY, DAY_MS, now);

/** A maximum number of uses on one UTC day. It is for maxima that are too large for a list of times. Each day has its own row. */
const ofDay = (
  what: string,
  subject: string,
  uses: number,
  now: number,
): { readonly key: Key; readonly count: Action; readonly uses: number } => {
  const key = limitKey(what, `${subject}#${dateOf(now)}`);
  return {
    key,
    uses,
    count: {
      Update: {
        Key: key,
        UpdateExpression: 'SET #count = if_not_exists(#count, :none) + :one, #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(#count) OR #count < :uses',
        ExpressionAttributeNames: { '#count': 'count', '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':none': 0, ':one': 1, ':uses': uses, ':ttl': Math.ceil((now + 2 * DAY_MS) / 1000) },
      },
    },
  };
};

/**
 * The actions that count an invitation of an address to a license; or why it cannot be sent now. Another request may use a limit up in the
 * meantime. The transaction with the actions then fails, and the caller asks again.
 */
export async function countInvitation(
  table: Table,
  license: { readonly id: number; readonly product_id: number },
  address: string,
  now: number,
): Promise<readonly Action[] | 'already_invited' | 'too_many_invitations'> {
  const person = ofAddress(license.product_id, address);
  const days = [
    ofDay('INVITATIONS_LICENSE', String(license.id), INVITATIONS_PER_DAY.license, now),
    ofDay('INVITATIONS_PRODUCT', String(license.product_id), INVITATIONS_PER_DAY.product, now),
  ];
  const [invited, ...counts] = await getItems(table, [limitKey('INVITATION', person), ...days.map(({ key }) => key)]);
  if (invited && numberIn(invited, 'used_1') > now - DAY_MS) return 'already_invited';
  if (days.some(({ uses }, place) => Number(counts[place]?.['count'] ?? 0) >= uses)) return 'too_many_invitations';
  return [countUse('INVITATION', person, 1, DAY_MS, now), ...days.map(({ count }) => count)];
}
