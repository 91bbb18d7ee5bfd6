import { KEY_MAILS_PER_HOUR, TRIALS_PER_DAY } from '../contract/limits';
import { addressHash } from '../domain/audit';
import { DAY_MS, HOUR_MS } from '../domain/time';
import { limitKey } from './keys';
import type { Action } from './transaction';

/**
 * Limits: at most so many uses within any period of a given length, however many requests come at once. Each is one
 * conditional update that commits with what it limits, so that only what was done counts. Limits are of one product:
 * what is done for one can neither be seen nor hinder anything in another.
 */

/**
 * Counts a use; fails the transaction if as many as are allowed were counted within the period before `now`.
 *
 * The row holds the times of the last `uses`: each use moves them by one place, on the condition that the last
 * of them is old enough. All values on the right are those from before the update.
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
      ExpressionAttributeValues: { ':now': now, ':never': 0, ':edge': now - periodMs, ':ttl': Math.ceil((now + periodMs) / 1000) },
    },
  };
}

/** An address in any case, which the row does not reveal. */
const ofAddress = (productId: number, address: string): string => `${productId}#${addressHash(address)}`;

/** Counts a trial that is started with an address. */
export const countTrial = (productId: number, address: string, now: number): Action =>
  countUse('TRIAL', ofAddress(productId, address), TRIALS_PER_DAY, DAY_MS, now);

/** Counts a mail with a license's key that an operator asks for: for the license, and for the address. */
export const countKeyMail = (
  mail: { readonly product_id: number; readonly license_id: number | null },
  address: string,
  now: number,
): Action[] => [
  countUse('MAIL_LICENSE', String(mail.license_id), KEY_MAILS_PER_HOUR.license, HOUR_MS, now),
  countUse('MAIL_ADDRESS', ofAddress(mail.product_id, address), KEY_MAILS_PER_HOUR.address, HOUR_MS, now),
];
