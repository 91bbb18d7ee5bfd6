/** Offline-first licensing for apps. `docs/client.md` shows how to use it. */

export { LicenseClient, type LicenseClientOptions } from './client';
export type { Jwk, JwkSet, PublicKey } from './keys';
export type { DeviceLabels, Fetch, FetchInit, FetchResponse } from './service';
export type {
  Deactivation,
  Expired,
  Fault,
  InvalidToken,
  Licensed,
  LicenseInfo,
  LicenseState,
  NoSeats,
  OfflineWithoutToken,
  Refusal,
  Revoked,
  Unbound,
  UnknownKey,
} from './state';
export { memoryStorage, type LicenseStorage } from './storage';
export { CLOCK_SKEW_MS, verifyToken, type Expectation, type TokenClaims, type TokenProblem, type Verification } from './token';
