import { fail, isFailure, type Failure } from '../../contract/errors';
import { BUYER_REISSUES_PER_DAY } from '../../contract/limits';
import { comparableEmail } from '../email';
import { freedBy } from '../activation';
import { boundDevice, type BuyerFrees, type Device, type License } from '../license';
import { isSameAddress, type Member } from '../member';
import { reissue } from '../license-operations';
import { DAY_MS, HOUR_MS } from '../time';
import { decide, unchanged, type Decision } from '../transition';
import type { Session } from './session';
import type { Portal } from './settings';

/** What a buyer can do with a license in the portal (docs/spec/portal.md, With a session). */

const FREES_WINDOW_MS = 30 * DAY_MS;

/** Whether a license belongs to the buyer of a session. An unverified e-mail address of the license does not count. */
export const isOwn = (license: License, { product_id, address }: Pick<Session, 'product_id' | 'address'>): boolean =>
  license.product_id === product_id &&
  license.customer_email !== null &&
  comparableEmail(license.customer_email) === comparableEmail(address);

export const notOffered = (): Failure => fail('forbidden', 'This is not offered here');

export const onlyForBuyer = (): Failure => fail('forbidden', 'Only the buyer of the license can do this');

export const noSuchLicense = (): Failure => fail('not_found', 'There is no such license');

/** How many devices a person has freed in the current window of 30 days, and when the window began. */
const current = (frees: BuyerFrees | null, now: number): BuyerFrees =>
  frees && now - frees.since < FREES_WINDOW_MS ? frees : { since: now, count: 0 };

/** How many devices a person may still free in the current window; null: any number. */
export const freesLeft = (
  frees: BuyerFrees | null,
  { frees_per_30_days }: Pick<Portal, 'frees_per_30_days'>,
  now: number,
): number | null => (frees_per_30_days === 0 ? null : Math.max(0, frees_per_30_days - current(frees, now).count));

/** Counts a device that a person frees. The result is a refusal (429) if the person has freed the maximum number of devices. */
export function countFree(frees: BuyerFrees | null, portal: Pick<Portal, 'frees_per_30_days'>, now: number): Failure | BuyerFrees {
  if (freesLeft(frees, portal, now) === 0) return fail('too_many_frees');
  const { since, count } = current(frees, now);
  return { since, count: count + 1 };
}

/** The devices that a person has freed. For members, the count is in their own rows. */
export const freesOf = (license: License, member: Member | undefined): BuyerFrees | null => (member ? member.frees : license.buyer_frees);

/**
 * Time, in ms, for which a buyer may free a device after a sign-in on it, whatever the portal allows. A buyer who was tricked into approving
 * the sign-in of a stranger can so undo it.
 */
const UNDO_MS = 72 * HOUR_MS;

/**
 * Frees a device for a person in the portal, and counts it as a device that this person has freed. The request is refused (429) if the
 * person has freed the maximum number of devices. If the device has no seat, nothing changes. A device on which somebody has just signed in
 * can always be freed, and does not count.
 *
 * @param own the person's membership; undefined for a buyer who is not a member
 * @param holder the member who uses the device, if the license has members
 */
export function freeByBuyer(
  license: License,
  device: Device | undefined,
  portal: Pick<Portal, 'frees_per_30_days' | 'allow'>,
  now: number,
  { own, holder }: { readonly own?: Member | undefined; readonly holder?: Member | undefined } = {},
): Decision<Failure | { freed: boolean }> {
  const bound = boundDevice(license, device);
  const isRecent = bound?.sign_in != null && now - bound.sign_in.at < UNDO_MS;
  if (!isRecent && !portal.allow.includes('free_devices')) return unchanged(notOffered());
  if (!bound) return unchanged({ freed: false });
  const counted = isRecent ? undefined : countFree(freesOf(license, own), portal, now);
  if (isFailure(counted)) return unchanged(counted);
  const isHolder = own !== undefined && holder !== undefined && isSameAddress(own.email, holder.email);
  const freed = freedBy(license, bound, holder, isHolder && counted ? { frees: counted } : {});
  const others = own && counted && !isHolder ? [{ before: own, after: { ...own, frees: counted, revision: own.revision + 1 } }] : [];
  return decide(license, 'deactivate', now, () => ({ freed: true }), {
    ...freed,
    patch: { ...freed.patch, ...(!own && counted && { buyer_frees: counted }) },
    members: [...freed.members, ...others],
    details: { reason: 'buyer', ...freed.details },
  });
}

/**
 * Gives the license a new key at the request of its buyer. Unlike an operator, a buyer cannot do this while the license is suspended, and
 * only a few times a day: each new key frees all seats, so without a limit more devices could use the license than it has seats.
 */
export function reissueByBuyer(license: License, key: string, now: number): Decision<Failure | License> {
  if (license.status === 'suspended') return unchanged(fail('license_suspended'));
  const recent = license.buyer_reissues.filter((at) => at > now - DAY_MS);
  const decision = reissue(license, key, now, { buyer_reissues: [...recent, now] });
  return decision.transition && recent.length >= BUYER_REISSUES_PER_DAY
    ? unchanged(fail('rate_limited', `The key can be replaced at most ${BUYER_REISSUES_PER_DAY} times within 24 hours`))
    : decision;
}
