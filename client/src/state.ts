import type { Updates } from './coverage';
import type { Limits, TokenProblem } from './token';

/**
 * The states that an app can receive about its license. Every result is a plain value that `structuredClone` can copy. Code can distinguish
 * the results by `status`.
 */

/** What was bought. */
export interface LicenseInfo {
  readonly id: number;
  readonly type: {
    /**
     * The name that the operator gave the license type; null if the license comes from an imported token and the service was not asked
     * since the import.
     */
    readonly name: string | null;
    /** The kind of license: `lifetime`, `subscription`, `floating` or `trial`. */
    readonly kind: string;
  };
  /** When the license expires; null if it never expires. */
  readonly expiresAt: Date | null;
}

/** How many seats of a license are used and how many exist, at the time of the last response. */
export interface Seats {
  readonly used: number;
  /** The maximum number of seats; 0 means unlimited. */
  readonly max: number;
}

/** Why the client has no decision from the service. */
export interface Fault {
  /**
   * - `unreachable`: no connection, or the connection broke
   * - `timeout`: no complete response within the time limit
   * - `busy`: the service failed (status 5xx), or asks the client to wait (status 429)
   * - `rejected`: the service refuses the request because of a mistake in the app's configuration (a wrong API key, for example)
   * - `malformed`: the response does not come from the service (a captive portal's page, for example)
   * - `untrusted`: the response contains a token or a refusal that could not be verified
   * - `clock`: the token in the response has already expired by this device's clock, so the clock is ahead
   * - `device`: this device could not be identified, so no request was sent
   * - `storage`: the stored data can't be read, or this device's random id can't be stored, so no request was sent. In the state
   *   `licensed`: the license can't be stored now; the client tries again automatically
   * - `closed`: the client was closed before or during the call, or the app ended the call with its `signal`
   */
  readonly kind: 'unreachable' | 'timeout' | 'busy' | 'rejected' | 'malformed' | 'untrusted' | 'clock' | 'device' | 'storage' | 'closed';
  /** A message for logs. It contains neither license key nor credential. */
  readonly message: string;
  /** Seconds that the service asks the client to wait (`Retry-After`). */
  readonly retryAfter?: number;
}

/** The app may be used on this device. */
export interface Licensed {
  readonly status: 'licensed';
  /**
   * What grants the license:
   * - `cache`: a token that is stored on this device and has not expired
   * - `network`: a response that the service has just sent
   * - `grace`: a stored token that has expired, but is still accepted (see `graceDays`) while the service can't be asked
   */
  readonly source: 'cache' | 'network' | 'grace';
  readonly license: LicenseInfo;
  /** Names of the features that the license includes. The service has signed them. */
  readonly features: readonly string[];
  /** Numbers by name that the app reads, such as the maximum number of projects. The service has signed them, and enforces none of them. */
  readonly limits: Limits;
  /** The limits of the releases that the license covers. The service has signed them. */
  readonly updates: Updates;
  /**
   * Seats at the time of the last response; null if the license comes from an imported token and the service was not asked since the
   * import.
   */
  readonly seats: Seats | null;
  /**
   * When the seat's lease ends; null if the seat has no lease. If the lease ends without being renewed, another device may take the
   * seat.
   */
  readonly leaseExpiresAt: Date | null;
  /** The time until which the license works without a network. For the source `grace`, this is the end of the grace period. */
  readonly offlineUntil: Date;
  /** Why the service gave no decision, or why the license is not stored (kind `storage`); absent if there is no such problem. */
  readonly fault?: Fault;
}

/** The license has expired. */
export interface Expired {
  readonly status: 'expired';
}

/** The license was revoked, for example after a refund. */
export interface Revoked {
  readonly status: 'revoked';
}

/** The license is suspended, for example because a payment is overdue. It may become active again. */
export interface Suspended {
  readonly status: 'suspended';
}

/** The license received another key, for example because this key had leaked. Only the new key can be activated. */
export interface Reissued {
  readonly status: 'reissued';
}

/**
 * This device must sign in again ({@link LicenseClient.activateInBrowser}), because its seat was freed, or because the license belongs to
 * named people.
 */
export interface SignInRequired {
  readonly status: 'sign_in_required';
}

/** In the browser, the user has refused to activate this device. */
export interface Denied {
  readonly status: 'denied';
}

/** Nobody has approved the activation in time, or the request was replaced by a newer one of this device. */
export interface RequestExpired {
  readonly status: 'request_expired';
}

/** The license has another status that forbids use and that this version of the client doesn't know. */
export interface Refused {
  readonly status: 'refused';
  /** The name of the status in the service. */
  readonly reason: string;
}

/** Every seat is taken by another device. To free a seat, deactivate one of the devices, or reset the license. */
export interface NoSeats {
  readonly status: 'no_seats';
  /** Seats of the license; null if the service could not be asked for the numbers. */
  readonly seats: Seats | null;
}

/** Too many devices that are new to the license have taken a seat this week. */
export interface TooManyDevices {
  readonly status: 'too_many_devices';
}

/** The service doesn't know this key. */
export interface UnknownKey {
  readonly status: 'unknown_key';
}

/** The product offers no trial without a key. */
export interface NoTrial {
  readonly status: 'no_trial';
}

/**
 * The license doesn't cover this release of the app (the option `release`). If this device already had the license, it keeps the license
 * and may use an older release that the license covers.
 */
export interface NotCovered {
  readonly status: 'not_covered';
  /** The limits of this device's license; absent if the service refused an activation. */
  readonly updates?: Updates;
}

/** This device has no seat: ask the user for a key and call `activate`. */
export interface Unbound {
  readonly status: 'unbound';
  /** The key with which this device was activated before its seat was freed; absent if there is no such key. */
  readonly key?: string;
}

/** The cache contains no accepted token, and the client has no decision from the service. The app can try again when there is a network. */
export interface OfflineWithoutToken {
  readonly status: 'offline_without_token';
  /**
   * Why the cached token is not accepted: there is none, it has a problem, the clock was set back, the clock is ahead of the service's, the
   * device can't be identified, or the storage fails.
   */
  readonly reason: 'no_token' | 'clock_rolled_back' | 'clock_ahead' | 'device_unknown' | 'storage_failed' | TokenProblem;
  /** Why the client has no decision from the service; absent if there is no key to ask about. */
  readonly fault?: Fault;
}

/** The states in which the service has refused a key. */
export type Refusal =
  | Expired
  | Revoked
  | Suspended
  | Reissued
  | SignInRequired
  | Denied
  | RequestExpired
  | Refused
  | NoSeats
  | TooManyDevices
  | UnknownKey
  | NoTrial
  | NotCovered;

/** The license state of a device. The app may be used only in the state `licensed`. */
export type LicenseState = Licensed | Refusal | Unbound | OfflineWithoutToken;

/** An argument of a method can't be sent. The result contains no decision about the license. */
export interface InvalidInput {
  readonly status: 'invalid_input';
  readonly field: 'key' | 'name' | 'platform' | 'customerEmail' | 'replace' | 'ref' | 'meter' | 'amount' | 'id';
  /** A message in English for logs and developers, such as `must not be empty`. */
  readonly message: string;
}

/**
 * The result of `deactivate` and `free`. If the status is `failed`, the seat may still be taken, and `deactivate` has not removed the
 * license from this device.
 */
export type Deactivation =
  | { readonly status: 'deactivated'; readonly freed: boolean }
  | { readonly status: 'failed'; readonly fault: Fault };

/** A device that holds a seat of a license. */
export interface ListedDevice {
  /** Identifies the device for {@link LicenseClient.free} and the option `replace`. It is not a fingerprint. */
  readonly ref: string;
  readonly name: string;
  readonly platform: string;
  readonly activatedAt: Date;
  /** The day (`2026-11-20`) of the device's last validation or activation; null if the service doesn't know it. */
  readonly lastSeenOn: string | null;
  /** Whether this entry is the device on which the app is running. */
  readonly isThis: boolean;
}

/** The result of `devices`. If the vendor has not enabled the list, the fault is `rejected`. */
export type DeviceList =
  | { readonly status: 'devices'; readonly devices: readonly ListedDevice[] }
  | { readonly status: 'failed'; readonly fault: Fault };

/** A file of a release. */
export interface Artifact {
  readonly filename: string;
  /** The platform of the file: `windows`, `macos`, `linux` or `any`. */
  readonly platform: string;
  /** The architecture of the file: `x64`, `arm64`, `ia32`, `universal` or `any`. */
  readonly arch: string;
  /** The size of the file in bytes. */
  readonly size: number;
  /** The SHA-256 of the file, as hex in lower case. */
  readonly sha256: string;
  readonly sha512: string;
  /** The vendor's own signature of the file; null if there is none. */
  readonly signature: string | null;
  /** A URL that redirects to the file; requests need the `headers` of {@link Latest}. */
  readonly url: string;
}

/** A release that the license covers. */
export interface Update {
  readonly version: string;
  readonly channel: string;
  readonly releasedAt: Date;
  /** The release notes in Markdown; null if there are none. */
  readonly notes: string | null;
  readonly artifacts: readonly Artifact[];
}

/**
 * The result of `latest`. If the license grants no downloads, for example because it is revoked, the result has a fault of the kind
 * `rejected`.
 */
export type Latest =
  | {
      readonly status: 'latest';
      /** The newest release that the license covers; null if none is newer than the given version. */
      readonly update: Update | null;
      /** The newest release of the product. If it is not `covered`, offer the user a renewal. */
      readonly newest: { readonly version: string; readonly releasedAt: Date; readonly covered: boolean } | null;
      /** Headers that every download request needs. They contain the API key, and the license key or the token. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly status: 'failed'; readonly fault: Fault };

/** A meter of the license, as the service counted it at the time of the response. */
export interface Meter {
  readonly name: string;
  /** What was consumed in the current period. It may exceed `included`, if the vendor allows it. */
  readonly used: number;
  readonly included: number;
  /** What is left of `included`; never below 0. */
  readonly remaining: number;
  /** `none` (the whole life of the license), `month` or `term` (the paid period). */
  readonly period: string;
  /** When the next period begins; null if none is known. */
  readonly resetsAt: Date | null;
}

/**
 * A refusal of `consume` or `meters`. Nothing was consumed, and the license state stays. `reason` is one of the following values:
 * - `meter_exhausted`: the amount does not fit into what is included
 * - `unknown_meter`: the license has no such meter
 * - `not_activated`: this device has no seat
 * - `idempotency_mismatch`: the `id` was used for another meter or amount
 * - `invalid_request`: the meter doesn't accept the amount, for example because it is negative
 * - `unknown_key`, `sign_in_required`, or the status of a license that can't be used (`revoked`, `suspended`, `expired`)
 * - `no_key`: this device has no key, so no request was sent
 * - `queue_full`: 1,000 amounts are waiting, so the amount was neither stored nor sent
 */
export interface UsageRefusal {
  readonly status: 'refused';
  readonly reason: string;
  /** A message in English for logs and developers. */
  readonly message: string;
}

/**
 * The result of `consume`. `queued`: the amount is stored, and is sent when the service can be reached. `failed`: it is not known whether
 * the service counted the amount; a repetition with the same `id` counts it once.
 */
export type Consumption =
  | { readonly status: 'consumed'; readonly meter: Meter }
  | { readonly status: 'queued'; readonly id: string }
  | UsageRefusal
  | { readonly status: 'failed'; readonly id: string; readonly fault: Fault };

/** The result of `meters`: the license's meters, by name. */
export type MeterList =
  | { readonly status: 'meters'; readonly meters: readonly Meter[] }
  | UsageRefusal
  | { readonly status: 'failed'; readonly fault: Fault };

/** An amount that waits until it can be sent. */
export interface PendingAmount {
  readonly id: string;
  readonly meter: string;
  readonly amount: number;
  /** When the app consumed the amount. */
  readonly since: Date;
}

/** An amount that was not counted. `reason`: the reason of a {@link UsageRefusal}, or `too_old` after 29 days. */
export interface DroppedAmount extends PendingAmount {
  readonly reason: string;
}

/** The result of `pending`. Both lists have the oldest amount first. `dropped` has the 100 amounts that were dropped last. */
export type Pending =
  | { readonly status: 'pending'; readonly amounts: readonly PendingAmount[]; readonly dropped: readonly DroppedAmount[] }
  | { readonly status: 'failed'; readonly fault: Fault };

/** The result of `forget`. All stored data is deleted. If there is a `fault`, the seat may still be taken. */
export interface Forgotten {
  readonly status: 'forgotten';
  readonly freed: boolean;
  readonly fault?: Fault;
}

/** An imported token that is not accepted. */
export interface InvalidToken {
  readonly status: 'invalid_token';
  readonly problem: OfflineWithoutToken['reason'];
}
