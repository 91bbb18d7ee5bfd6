import * as z from 'zod';
import { createdAt, id, productId } from './common';
import { maxSeats } from './device';
import { featureNames } from './features';
import { licenseKind } from './license-kind';

export const leaseMinutes = z
  .int()
  .min(5)
  .max(43_200)
  .nullable()
  .meta({ description: 'For the kind floating: minutes that a device keeps its seat after each check; null: until it is freed.' });
export const newDevicesPerWeek = z
  .int()
  .min(0)
  .max(1000)
  .meta({ description: 'Maximum number of new devices that may take a seat of one license within 7 days; 0 means unlimited.' });
const durationDays = z
  .int()
  .min(1)
  .nullable()
  .meta({ description: 'Days from issue to expiry; null for the kinds `lifetime` and `floating`.' });

export const updatesDays = z
  .int()
  .min(1)
  .max(36_500)
  .nullable()
  .meta({ description: 'Days of updates from the start of the term; null: no end.' });
export const maxMajor = z
  .int()
  .min(0)
  .max(1_000_000)
  .nullable()
  .meta({ description: 'Releases up to this major version are covered; null: no such limit.' });
export const termStarts = ['creation', 'activation'] as const;
export type TermStart = (typeof termStarts)[number];
export const termStart = z
  .enum(termStarts)
  .meta({ description: 'When the term starts: when the license is issued, or with its first activation (kinds subscription and trial).' });
export const downloadsWhenExpired = z
  .boolean()
  .meta({ description: 'An expired license may still download what was released before its expiry.' });

/** The terms that a license copies from its type when it is sold. */
export const licenseTerms = {
  name: z.string(),
  kind: licenseKind,
  max_seats: maxSeats,
  duration_days: durationDays,
  features: featureNames,
  lease_minutes: leaseMinutes,
  new_devices_per_week: newDevicesPerWeek,
  updates_days: updatesDays,
  max_major: maxMajor,
  starts: termStart,
  downloads_when_expired: downloadsWhenExpired,
};

export const licenseType = z
  .object({
    id,
    product_id: productId,
    ...licenseTerms,
    self_service: z.boolean().meta({ description: 'Client apps may issue themselves a license of this type: a trial without a key.' }),
    archived: z.boolean().meta({ description: 'No new licenses of this type are issued.' }),
    created_at: createdAt,
  })
  .meta({ id: 'LicenseType' });

export type LicenseTypeView = z.infer<typeof licenseType>;
