import * as z from 'zod';
import { id } from './common';
import { canonicalKey } from './license-key';
import { licenseKind } from './license-kind';
import { expiresAt, licenseStatus } from './license-state';

/** The license as client apps see it. It never contains the buyer's e-mail address or the metadata. */
export const clientLicense = z
  .object({
    id,
    key: canonicalKey,
    status: licenseStatus,
    expires_at: expiresAt,
    license_type: z.object({ name: z.string(), kind: licenseKind }),
  })
  .meta({ id: 'ClientLicense' });

export type ClientLicenseView = z.infer<typeof clientLicense>;
