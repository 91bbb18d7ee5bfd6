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

/** The status and the error of a request with a device key that no longer works (docs/spec/sign-in.md, Device keys). */
export const SIGN_IN_REQUIRED = 'sign_in_required';

/** The statuses with which a check refuses a request. They are signed in verdicts. */
export type CheckStatus = RefusedStatus | typeof SIGN_IN_REQUIRED;
export const checkStatuses: readonly CheckStatus[] = [...refusedStatuses, SIGN_IN_REQUIRED];

/** The error of a request that is refused with a status. */
export const errorOf = (status: CheckStatus): RefusalError | typeof SIGN_IN_REQUIRED =>
  status === SIGN_IN_REQUIRED ? SIGN_IN_REQUIRED : refusals[status];

/** The status to which an error belongs; undefined if the error is not about the status of a license or a device key. */
export const statusOfRefusal = (error: ErrorName): CheckStatus | undefined => checkStatuses.find((status) => errorOf(status) === error);

/** The recorded reasons for refusals: error codes, and `invalid` for a validation with an unknown key. */
export const refusalReasons = [
  ...refusalErrors,
  'not_activated',
  'release_not_covered',
  SIGN_IN_REQUIRED,
  'no_seats',
  'too_many_devices',
  'too_many_user_devices',
  'not_found',
  'invalid',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];
