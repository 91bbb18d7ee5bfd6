import type { Updates } from './coverage';
import type { TokenProblem } from './token';

/** What an app can learn about its license. Every result is a plain value (it survives structured cloning) to switch over by `status`. */

/** What was bought. */
export interface LicenseInfo {
  readonly id: number;
  readonly type: {
    /** As the operator named it; null if the service was never asked (an imported token). */
    readonly name: string | null;
    /** `lifetime`, `subscription`, `floating` or `trial`. */
    readonly kind: string;
  };
  /** Null if it never expires. */
  readonly expiresAt: Date | null;
}

/** Seats of a license when the service was last asked. */
export interface Seats {
  readonly used: number;
  /** 0: unlimited. */
  readonly max: number;
}

/** Why there is no verdict of the service. */
export interface Fault {
  /**
   * - `unreachable`: no connection, or it broke
   * - `timeout`: no complete response in time
   * - `busy`: the service failed or asks for patience (5xx, throttled)
   * - `rejected`: it refuses the request itself (a wrong API key, for example): a mistake in the app's configuration
   * - `malformed`: the response is not the service's (a captive portal's page, for example)
   * - `untrusted`: the token or the refusal in the response is not proved
   * - `device`: this device could not be identified, so nothing was asked
   * - `storage`: what is stored can't be read, or this device's random id can't be stored; nothing was asked
   * - `closed`: the client was closed meanwhile
   */
  readonly kind: 'unreachable' | 'timeout' | 'busy' | 'rejected' | 'malformed' | 'untrusted' | 'device' | 'storage' | 'closed';
  /** For logs. Holds neither license key nor credential. */
  readonly message: string;
  /** Seconds that the service asks to wait (`Retry-After`). */
  readonly retryAfter?: number;
}

/** Use is granted. */
export interface Licensed {
  readonly status: 'licensed';
  /**
   * What it rests on: a cached token; the service's response just now; or a token that has just expired while
   * the service can't be asked (see `graceDays`).
   */
  readonly source: 'cache' | 'network' | 'grace';
  readonly license: LicenseInfo;
  /** Names of the features that were bought, signed by the service. */
  readonly features: readonly string[];
  /** Which releases were bought, signed by the service. */
  readonly updates: Updates;
  /** Null if the service was never asked (an imported token). */
  readonly seats: Seats | null;
  /** When this device's seat may go to another device unless the lease is renewed; null if it has no lease. */
  readonly leaseExpiresAt: Date | null;
  /** Until when it holds without a network; for `grace` the end of the grace. */
  readonly offlineUntil: Date;
  /** Why the service could not be asked, if it was tried. */
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

/** The license is suspended, for a payment that is overdue for example. It may come back. */
export interface Suspended {
  readonly status: 'suspended';
}

/** The license has another status that refuses use, which this version of the client doesn't know. */
export interface Refused {
  readonly status: 'refused';
  /** The service's name of it. */
  readonly reason: string;
}

/** Every seat is taken by another device. Deactivate one of them, or reset the license. */
export interface NoSeats {
  readonly status: 'no_seats';
  /** Null if the service could not be asked for the numbers. */
  readonly seats: Seats | null;
}

/** Too many devices that are new to the license took a seat this week. */
export interface TooManyDevices {
  readonly status: 'too_many_devices';
}

/** The service knows no such key. */
export interface UnknownKey {
  readonly status: 'unknown_key';
}

/** The product offers no trial without a key. */
export interface NoTrial {
  readonly status: 'no_trial';
}

/** The license doesn't cover this release of the app (the option `release`). What is held stays, and licenses an older release. */
export interface NotCovered {
  readonly status: 'not_covered';
  /** What limits the license that is held; absent if the service refused an activation. */
  readonly updates?: Updates;
}

/** This device holds no seat: ask for a key and call `activate`. */
export interface Unbound {
  readonly status: 'unbound';
  /** The key that this device was activated with, if its seat was freed meanwhile. */
  readonly key?: string;
}

/** Nothing in the cache counts, and the service can't be asked: try again when there is a network. */
export interface OfflineWithoutToken {
  readonly status: 'offline_without_token';
  /**
   * Why the cached token doesn't count: there is none, it has a problem, the clock was set back, the device can't be identified, or the
   * storage fails.
   */
  readonly reason: 'no_token' | 'clock_rolled_back' | 'device_unknown' | 'storage_failed' | TokenProblem;
  /** Why there is no verdict of the service; absent if there is no key to ask it about. */
  readonly fault?: Fault;
}

/** Verdicts of the service against a key. */
export type Refusal = Expired | Revoked | Suspended | Refused | NoSeats | TooManyDevices | UnknownKey | NoTrial | NotCovered;

/** Where a device stands. Only `licensed` grants use. */
export type LicenseState = Licensed | Refusal | Unbound | OfflineWithoutToken;

/** What was given to `activate`, `trial` or `offlineRequest` can't be sent. Not a state of the license. */
export interface InvalidInput {
  readonly status: 'invalid_input';
  readonly field: 'key' | 'name' | 'platform' | 'customerEmail' | 'replace';
  /** In English, for logs and developers, such as `must not be empty`. */
  readonly message: string;
}

/** What `deactivate` did. If it `failed`, the seat is still taken and the license still held. */
export type Deactivation =
  | { readonly status: 'deactivated'; readonly freed: boolean }
  | { readonly status: 'failed'; readonly fault: Fault };

/** A device that holds a seat of a license. */
export interface ListedDevice {
  /** Names the device to {@link LicenseClient.free} and `replace`. Not a fingerprint. */
  readonly ref: string;
  readonly name: string;
  readonly platform: string;
  readonly activatedAt: Date;
  /** The day (`2026-11-20`) of its last validation or activation; null if the service doesn't know it. */
  readonly lastSeenOn: string | null;
  /** Whether it is this device. */
  readonly isThis: boolean;
}

/** What `devices` found. The vendor may have left the list disabled: then the fault is `rejected`. */
export type DeviceList =
  | { readonly status: 'devices'; readonly devices: readonly ListedDevice[] }
  | { readonly status: 'failed'; readonly fault: Fault };

/** A file of a release. */
export interface Artifact {
  readonly filename: string;
  /** `windows`, `macos`, `linux` or `any`. */
  readonly platform: string;
  /** `x64`, `arm64`, `ia32`, `universal` or `any`. */
  readonly arch: string;
  /** In bytes. */
  readonly size: number;
  /** Hex in lower case, as `sha512`. */
  readonly sha256: string;
  readonly sha512: string;
  /** The vendor's own; null if there is none. */
  readonly signature: string | null;
  /** Redirects to the file, for requests with {@link Latest} `headers`. */
  readonly url: string;
}

/** A release that the license covers. */
export interface Update {
  readonly version: string;
  readonly channel: string;
  readonly releasedAt: Date;
  /** Markdown. */
  readonly notes: string | null;
  readonly artifacts: readonly Artifact[];
}

/** What `latest` found. A license that grants no downloads, such as a revoked one, is a fault of the kind `rejected`. */
export type Latest =
  | {
      readonly status: 'latest';
      /** The newest release that the license covers; null if none is newer than the version given. */
      readonly update: Update | null;
      /** The newest release of all. If it is not `covered`, offer the user a renewal. */
      readonly newest: { readonly version: string; readonly releasedAt: Date; readonly covered: boolean } | null;
      /** To be sent with every download; they contain the license key or the token. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly status: 'failed'; readonly fault: Fault };

/** What `forget` did. Nothing is stored any more; the seat is still taken if there is a `fault`. */
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
