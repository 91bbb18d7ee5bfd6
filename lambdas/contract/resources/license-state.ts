import * as z from 'zod';
import { licenseStatuses } from '../statuses';
import { timestamp } from '../text';

export const licenseStatus = z.enum(licenseStatuses).meta({
  id: 'LicenseStatus',
  description: 'The stored status. Expiry is noticed only when an activation or a validation checks the license.',
});

export const expiresAt = timestamp
  .nullable()
  .meta({ description: 'The license is expired from this moment on; null if it never expires.' });
