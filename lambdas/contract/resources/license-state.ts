import * as z from 'zod';
import { licenseStatuses } from '../statuses';
import { timestamp } from '../text';

export const licenseStatus = z.enum(licenseStatuses).meta({
  id: 'LicenseStatus',
  description: 'The stored status of a license. An expiry is recorded only when an activation or a validation checks the license.',
});

export const expiresAt = timestamp
  .nullable()
  .meta({ description: 'The time from which the license is expired; null if the license never expires.' });
