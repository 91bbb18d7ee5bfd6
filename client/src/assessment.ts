import type { CacheRecord } from './cache';
import type { Device } from './device';
import type { VerifyKey } from './keys';
import { refusalState } from './refusals';
import type { Fault, Licensed, LicenseState, OfflineWithoutToken } from './state';
import { dateOf, parseTimestamp } from './timestamp';
import { CLOCK_BEHIND_MS, CLOCK_SKEW_MS, verifyWith, type Expectation, type TokenClaims } from './token';

/**
 * Determines what the cached token proves on a device at a given time. The functions of this file implement the rules for working offline.
 * They use neither network nor storage.
 */

export interface Assessment {
  readonly record: CacheRecord;
  readonly device: Device;
  /** This device's clock, in epoch milliseconds. */
  readonly now: number;
  /** The latest time that is known to have passed, in epoch milliseconds. */
  readonly time: number;
  /** The token's claims, if the token is for this product and this device, even if it has expired. */
  readonly claims?: TokenClaims | undefined;
  /** Why the cached token is not accepted; undefined if it is accepted. */
  readonly problem: OfflineWithoutToken['reason'] | undefined;
}

/** The app's settings that extend what a token allows. */
export interface Rules {
  readonly keys: readonly VerifyKey[];
  readonly audience?: string | undefined;
  readonly allowUnboundTokens?: boolean | undefined;
  readonly graceMs: number;
}

/**
 * @param timeOf computes, from the token's claims, the time at which the token is verified. Default: the latest time that is known to have
 * passed
 */
export async function assess(
  rules: Rules,
  record: CacheRecord,
  device: Device,
  now: number,
  token: string | undefined = record.token,
  timeOf?: (claims: TokenClaims) => number,
): Promise<Assessment> {
  let time = Math.max(now, record.seen ?? now);
  const { fault, id } = device;
  if (fault || token === undefined) {
    const problem = !fault ? 'no_token' : fault.kind === 'storage' ? 'storage_failed' : 'device_unknown';
    return { record, device, now, time, problem };
  }
  const { claims, problem } = await verifyWith(rules.keys, token, expectationOf(rules, id), (found) => (time = timeOf?.(found) ?? time));
  // If the clock is more than a day behind a time that is known to have passed, it can't show whether the token has expired.
  return { record, device, now, time, claims, problem: claims && now < time - CLOCK_BEHIND_MS ? 'clock_rolled_back' : problem };
}

export const expectationOf = (rules: Rules, fingerprint: string): Expectation => ({ ...rules, fingerprint });

const tokenEnd = ({ exp }: TokenClaims): number => exp * 1000;
const licenseEnd = ({ license_expires_at: end }: TokenClaims): number => parseTimestamp(end) ?? Infinity;
/**
 * Grace starts at the token's `exp`, without the clock tolerance, and ends no later than the license. A leased seat has no grace, because
 * another device may take the seat when the lease has ended.
 */
const graceEnd = (claims: TokenClaims, { graceMs }: Rules): number =>
  claims.lease_expires_at ? 0 : Math.min(tokenEnd(claims) + graceMs, licenseEnd(claims));

/**
 * When a token is due to be refreshed in the background: after half of the token's lifetime. A token expires no later than the seat's
 * lease, so the refresh is due before the lease ends.
 */
export const refreshTime = ({ iat, exp }: TokenClaims): number => ((iat + exp) / 2) * 1000;

/**
 * Whether the token may license this device, now or after the clock is corrected. If not, the device has no license that must be
 * protected from a forged refusal.
 */
export function mayStillCount({ claims, time }: Assessment, rules: Rules): boolean {
  return !!claims && time < Math.max(tokenEnd(claims) + CLOCK_SKEW_MS, graceEnd(claims, rules));
}

/** The state of a device that is licensed by a token. */
export function licensedState(
  source: Licensed['source'],
  claims: TokenClaims,
  record: CacheRecord,
  { fault, until = tokenEnd(claims) }: { readonly fault?: Fault | undefined; readonly until?: number } = {},
): Licensed {
  const end = licenseEnd(claims);
  return {
    status: 'licensed',
    source,
    license: {
      id: Number(claims.sub),
      type: { name: record.type_name ?? null, kind: claims.kind },
      expiresAt: end === Infinity ? null : new Date(end),
    },
    features: claims.features ?? [],
    limits: claims.limits ?? {},
    updates: {
      until: claims.updates_until ? dateOf(claims.updates_until) : null,
      maxMajor: claims.max_major ?? null,
    },
    seats: record.seats ?? null,
    leaseExpiresAt: claims.lease_expires_at ? dateOf(claims.lease_expires_at) : null,
    offlineUntil: new Date(until),
    ...(fault && { fault }),
  };
}

/**
 * The state of this device if there is no new decision from the service. `fault` is the fault that prevented a decision; undefined if there
 * was no fault.
 */
export function stateFromCache(assessment: Assessment, rules: Rules, fault?: Fault): LicenseState {
  const { record, device, problem, claims, time } = assessment;
  if (claims && !problem) return licensedState('cache', claims, record, { fault });
  if (record.refused) return refusalState(record.refused, record);
  if (problem === 'expired' && claims) {
    const until = graceEnd(claims, rules);
    if (time >= licenseEnd(claims)) return { status: 'expired' };
    if (time < until) return licensedState('grace', claims, record, { fault, until });
  }
  if (problem === 'no_token' && !record.key && !fault) return { status: 'unbound' };
  return offlineState(assessment, fault ?? device.fault);
}

/** The state of a device that has neither an accepted token nor a decision from the service. */
export const offlineState = ({ problem = 'no_token' }: Assessment, fault: Fault | undefined): LicenseState => ({
  status: 'offline_without_token',
  reason: fault?.kind === 'clock' ? 'clock_ahead' : problem,
  ...(fault && { fault }),
});
