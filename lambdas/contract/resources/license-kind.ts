import * as z from 'zod';

export const licenseKinds = ['lifetime', 'subscription', 'floating', 'trial'] as const;
export type LicenseKind = (typeof licenseKinds)[number];
export const licenseKind = z.enum(licenseKinds).meta({
  id: 'LicenseKind',
  description:
    'The kind of a license. Licenses of the kinds `subscription` and `trial` expire. Licenses of other kinds never expire, unless they are given an expiry.',
});
/** Whether licenses of a kind expire after the type's `duration_days`. */
export const isTimed = (kind: LicenseKind): boolean => kind === 'subscription' || kind === 'trial';
