export const licenseKinds = ['lifetime', 'subscription', 'floating', 'trial'] as const;
export type LicenseKind = (typeof licenseKinds)[number];

/** Whether licenses of a kind expire after the type's `duration_days`. */
export const isTimed = (kind: LicenseKind): boolean => kind === 'subscription' || kind === 'trial';

/** When the term of a license can start. */
export const termStarts = ['creation', 'activation'] as const;
export type TermStart = (typeof termStarts)[number];
