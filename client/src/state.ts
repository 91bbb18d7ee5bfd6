import type { TokenProblem } from './token';

/** What an app can learn about its license. Every result is a value to switch over by `status`. */

/** What a verified token tells of the license. */
export interface LicenseInfo {
  readonly id: number;
  /** `lifetime`, `subscription`, `floating` or `trial`. */
  readonly kind: string;
  /** Null where it never expires. */
  readonly expiresAt: Date | null;
}

/** Why the service gave no verdict. */
export interface Fault {
  /**
   * - `unreachable`: no connection, or it broke
   * - `timeout`: no complete answer in time
   * - `busy`: the service failed or asks for patience (5xx, throttled)
   * - `rejected`: it refuses the request itself (a wrong API key, say): a mistake in the app's configuration
   * - `malformed`: the answer is not the service's (a captive portal's page, say)
   * - `untrusted`: the answer's token does not verify
   * - `closed`: the client was closed meanwhile
   */
  readonly kind: 'unreachable' | 'timeout' | 'busy' | 'rejected' | 'malformed' | 'untrusted' | 'closed';
  /** For logs. Holds neither license key nor credential. */
  readonly message: string;
}

/** Use is granted. */
export interface Licensed {
  readonly status: 'licensed';
  /**
   * What it rests on: a cached token; the service's answer just now; or a token that has just expired while
   * the service can't be asked (see `graceDays`).
   */
  readonly source: 'cache' | 'network' | 'grace';
  readonly license: LicenseInfo;
  /** Until when it holds without a network; for `grace` the end of the grace. */
  readonly offlineUntil: Date;
  /** Why the service could not be asked, where it was tried. */
  readonly fault?: Fault;
}

/** The license has run out. */
export interface Expired {
  readonly status: 'expired';
}

/** The license was revoked, after a refund for example. */
export interface Revoked {
  readonly status: 'revoked';
}

/** Every seat is taken by another device. Deactivate one of them, or reset the license. */
export interface NoSeats {
  readonly status: 'no_seats';
}

/** The service knows no such key. */
export interface UnknownKey {
  readonly status: 'unknown_key';
}

/** This device holds no seat: ask for a key and call `activate`. */
export interface Unbound {
  readonly status: 'unbound';
  /** The key that this device was activated with, where its seat was freed elsewhere. */
  readonly key?: string;
}

/** Nothing in the cache counts, and the service can't be asked: try again when there is a network. */
export interface OfflineWithoutToken {
  readonly status: 'offline_without_token';
  /** Why the cached token does not count: there is none, it has a problem, or the clock was set back. */
  readonly reason: 'no_token' | 'clock_rolled_back' | TokenProblem;
  /** Why the service gave no verdict; absent where there is no key to ask it about. */
  readonly fault?: Fault;
}

/** Verdicts of the service against a key. */
export type Refusal = Expired | Revoked | NoSeats | UnknownKey;

/** How a key can be refused to a device. */
export type RefusedStatus = Refusal['status'] | Unbound['status'];

/** Where a device stands. Only `licensed` grants use. */
export type LicenseState = Licensed | Refusal | Unbound | OfflineWithoutToken;

/** What `deactivate` did. Where it `failed`, the seat is still taken and the license still held. */
export type Deactivation = { readonly status: 'deactivated'; readonly freed: boolean } | { readonly status: 'failed'; readonly fault: Fault };

/** An imported token that is not accepted. */
export interface InvalidToken {
  readonly status: 'invalid_token';
  readonly problem: OfflineWithoutToken['reason'];
}
