import * as z from 'zod/mini';
import { bindings, MAX_DEVICES_PER_USER, termStarts } from '../license-kinds';
import { checked, documented } from '../schema';
import { createdAt, id, productId } from './common';
import { maxSeats } from './device';
import { featureNames } from './feature-names';
import { licenseKind } from './license-kind';
import { shownLimits } from './license-limits';
import { shownMeterTerms } from './license-meters';

export const leaseMinutes = documented(z.nullable(checked(z.int(), z.minimum(5), z.maximum(43_200))), {
  description:
    'Only for the kind `floating`: the number of minutes for which a device keeps its seat after an activation or validation; null: the device keeps the seat until the seat is freed.',
});
export const newDevicesPerWeek = documented(checked(z.int(), z.minimum(0), z.maximum(1000)), {
  description: 'Maximum number of new devices that may take a seat of one license within 7 days; 0 means unlimited.',
});
export const binding = documented(z.enum(bindings), {
  description:
    'What takes the seats of a license. `device`: each device takes a seat. `user`: each member takes a seat, and may use several devices.',
});
export const devicesPerUser = documented(checked(z.int(), z.minimum(1), z.maximum(MAX_DEVICES_PER_USER)), {
  description: 'Only for the binding `user`: the maximum number of devices that each member may use at the same time.',
});
const durationDays = documented(z.nullable(checked(z.int(), z.minimum(1))), {
  description: 'The number of days from the start of the term to the expiry; null for the kinds `lifetime` and `floating`.',
});

export const updatesDays = documented(z.nullable(checked(z.int(), z.minimum(1), z.maximum(36_500))), {
  description: 'The number of days with updates, from the start of the term; null: no limit by date.',
});
export const maxMajor = documented(z.nullable(checked(z.int(), z.minimum(0), z.maximum(1_000_000))), {
  description: 'The newest major version that the license covers; null: no limit by version.',
});
export const termStart = documented(z.enum(termStarts), {
  description:
    'When the term of a license starts. `creation`: when the license is issued. `activation`: with its first activation, only for the kinds `subscription` and `trial`.',
});
export const downloadsWhenExpired = documented(z.boolean(), {
  description: 'Whether an expired license may still download the releases whose `released_at` is before its expiry.',
});

/** The terms that a license copies from its type when it is sold. */
export const licenseTerms = {
  name: z.string(),
  kind: licenseKind,
  max_seats: maxSeats,
  duration_days: durationDays,
  features: featureNames,
  limits: shownLimits,
  meters: shownMeterTerms,
  lease_minutes: leaseMinutes,
  new_devices_per_week: newDevicesPerWeek,
  updates_days: updatesDays,
  max_major: maxMajor,
  starts: termStart,
  downloads_when_expired: downloadsWhenExpired,
  binding,
  devices_per_user: documented(z.nullable(devicesPerUser), {
    description: 'The maximum number of devices that each member may use at the same time; null for the binding `device`.',
  }),
};

export const licenseType = documented(
  z.object({
    id,
    product_id: productId,
    ...licenseTerms,
    self_service: documented(z.boolean(), { description: 'Whether client apps may start a trial of this type without a key.' }),
    archived: documented(z.boolean(), { description: 'Whether the type is archived. An archived type issues no new licenses.' }),
    created_at: createdAt,
  }),
  { id: 'LicenseType' },
);

export type LicenseTypeView = z.infer<typeof licenseType>;
