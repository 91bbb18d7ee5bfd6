import * as z from 'zod/mini';
import { documented } from '../schema';
import { licenseStatuses } from '../statuses';
import { timestamp } from '../text';

export const licenseStatus = documented(z.enum(licenseStatuses), {
  id: 'LicenseStatus',
  description:
    'The stored status of a license. A license whose expiry has passed keeps its stored status until its next activation, validation or request for the device list.',
});

export const expiresAt = documented(z.nullable(timestamp), {
  description:
    'The time from which the license is expired; null if the license never expires, or if its term starts with the first activation and has not started yet.',
});
