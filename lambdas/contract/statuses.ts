import type { ErrorName } from './errors';

/**
 * The statuses of a license. All code that depends on a status uses a map with a key for each status. After a new status is added here, the
 * code does not compile until every map contains the status.
 */
export const licenseStatuses = ['active', 'suspended', 'expired', 'revoked'] as const;
export type LicenseStatus = (typeof licenseStatuses)[number];

/**
 * For each status, the error that a request gets if it uses a license with that status; null if the license may be used
 * (docs/spec/service.md, License statuses).
 */
export const refusals = {
  active: null,
  suspended: 'license_suspended',
  expired: 'license_expired',
  revoked: 'license_revoked',
} as const satisfies Record<LicenseStatus, ErrorName | null>;

/** The statuses in which a license cannot be used. A validation reports such a status with `valid: false`. */
export type RefusedStatus = { [Status in LicenseStatus]: (typeof refusals)[Status] extends null ? never : Status }[LicenseStatus];
export const refusedStatuses = licenseStatuses.filter((status): status is RefusedStatus => refusals[status] !== null);

export type RefusalError = Exclude<(typeof refusals)[LicenseStatus], null>;
export const refusalErrors = refusedStatuses.map((status): RefusalError => refusals[status]);

/** The status to which an error belongs; undefined if the error is not about a license's status. */
export const statusOfRefusal = (error: ErrorName): RefusedStatus | undefined =>
  refusedStatuses.find((status) => refusals[status] === error);

/** The recorded reasons for refusals: error codes, and `invalid` for a validation with an unknown key. */
export const refusalReasons = [
  ...refusalErrors,
  'not_activated',
  'release_not_covered',
  'no_seats',
  'too_many_devices',
  'not_found',
  'invalid',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];
