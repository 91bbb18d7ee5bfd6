import * as z from 'zod/mini';
import { licenseKinds } from '../license-kinds';
import { documented } from '../schema';

export const licenseKind = documented(z.enum(licenseKinds), {
  id: 'LicenseKind',
  description:
    'The kind of a license. Licenses of the kinds `subscription` and `trial` expire. Licenses of other kinds never expire, unless they are given an expiry.',
});
