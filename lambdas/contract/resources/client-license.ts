import * as z from 'zod/mini';
import { documented } from '../schema';
import { id } from './common';
import { canonicalKey } from './license-key';
import { licenseKind } from './license-kind';
import { expiresAt, licenseStatus } from './license-state';

/** The license as client apps see it. It never contains the buyer's e-mail address or the metadata. */
export const clientLicense = documented(
  z.object({
    id,
    key: canonicalKey,
    status: licenseStatus,
    expires_at: expiresAt,
    license_type: z.object({ name: z.string(), kind: licenseKind }),
  }),
  { id: 'ClientLicense' },
);

export type ClientLicenseView = z.infer<typeof clientLicense>;
