/** Offline-first licensing for apps. `docs/client.md` shows how to use it. */

export { LicenseClient, type BrowserActivation, type LicenseClientOptions, type Schedule } from './client';
export type { Release, Updates } from './coverage';
export type { FingerprintSource } from './device';
export type { Ed25519 } from './ed25519';
export type { Jwk, JwkSet, PublicKey } from './keys';
export { readOfflineRequest, type OfflineRequest } from './offline-request';
export type { DeviceLabels, Fetch, FetchInit, FetchResponse } from './service';
export type {
  Artifact,
  Consumption,
  Deactivation,
  Denied,
  DeviceList,
  DroppedAmount,
  Expired,
  Fault,
  Forgotten,
  InvalidInput,
  InvalidToken,
  Latest,
  Licensed,
  ListedDevice,
  LicenseInfo,
  LicenseState,
  Meter,
  MeterList,
  NoSeats,
  NoTrial,
  NotCovered,
  OfflineWithoutToken,
  Pending,
  PendingAmount,
  Refusal,
  Refused,
  Reissued,
  RequestExpired,
  Revoked,
  Seats,
  SignInRequired,
  Suspended,
  TooManyDevices,
  Unbound,
  UnknownKey,
  Update,
  UsageRefusal,
} from './state';
export { memoryStorage, type LicenseStorage } from './storage';
export { CLOCK_SKEW_MS, verifyToken, type Expectation, type Limits, type TokenClaims, type TokenProblem, type Verification } from './token';
