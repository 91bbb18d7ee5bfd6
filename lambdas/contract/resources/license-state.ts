import * as z from 'zod/mini';
import { documented } from '../schema';
import { licenseStatuses } from '../statuses';
import { timestamp } from '../text';

export const licenseStatus = documented(z.enum(licenseStatuses), {
  id: 'LicenseStatus',
  description: 'The stored status of a license. An expiry is recorded only when an activation or a validation checks the license.',
});

export const expiresAt = documented(z.nullable(timestamp), {
  description: 'The time from which the license is expired; null if the license never expires.',
});
