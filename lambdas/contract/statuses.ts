import type { ErrorName } from './errors';

/**
 * The statuses of a license. All code that depends on a status is a map with a key for each, so that a new status does
 * not compile until every such map defines it.
 */
export const licenseStatuses = ['active', 'suspended', 'expired', 'revoked'] as const;
export type LicenseStatus = (typeof licenseStatuses)[number];

/** The error for the use of a license in each status; null if it may be used. (docs/spec/service.md, License statuses) */
export const refusals = {
  active: null,
  suspended: 'license_suspended',
  expired: 'license_expired',
  revoked: 'license_revoked',
} as const satisfies Record<LicenseStatus, ErrorName | null>;

/** The statuses in which a license cannot be used: a validation reports them with `valid: false`. */
export type RefusedStatus = { [Status in LicenseStatus]: (typeof refusals)[Status] extends null ? never : Status }[LicenseStatus];
export const refusedStatuses = licenseStatuses.filter((status): status is RefusedStatus => refusals[status] !== null);

export type RefusalError = Exclude<(typeof refusals)[LicenseStatus], null>;
export const refusalErrors = refusedStatuses.map((status): RefusalError => refusals[status]);

/** The status that an error reports; undefined if the error is not about a license's status. */
export const statusOfRefusal = (error: ErrorName): RefusedStatus | undefined =>
  refusedStatuses.find((status) => refusals[status] === error);
