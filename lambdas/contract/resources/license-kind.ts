import * as z from 'zod/mini';
import { documented } from '../schema';

export const licenseKinds = ['lifetime', 'subscription', 'floating', 'trial'] as const;
export type LicenseKind = (typeof licenseKinds)[number];
export const licenseKind = documented(z.enum(licenseKinds), {
  id: 'LicenseKind',
  description:
    'The kind of a license. Licenses of the kinds `subscription` and `trial` expire. Licenses of other kinds never expire, unless they are given an expiry.',
});
/** Whether licenses of a kind expire after the type's `duration_days`. */
export const isTimed = (kind: LicenseKind): boolean => kind === 'subscription' || kind === 'trial';
