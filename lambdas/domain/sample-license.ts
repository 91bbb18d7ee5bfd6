import { addDays, type License } from './license';
import { issue } from './license-operations';
import { metadataOf } from './metadata';
import type { StoredReminder } from './stored-mail-settings';
import type { Product } from './product';
import { dateDueAt } from './reminders';

/**
 * An invented license for previews of mails.
 *
 * @param reminder a reminder that is due for the license at `now` (epoch ms); if it is null, the license was just issued
 */
export function sampleLicense(
  { id, slug }: Pick<Product, 'id' | 'slug'>,
  reminder: Pick<StoredReminder, 'event' | 'days'> | null,
  now: number,
): License {
  const date = reminder ? dateDueAt(reminder, now) : addDays(now, 365);
  const { license } = issue(
    {
      id: 1,
      product_id: id,
      product_slug: slug,
      key: 'AB12C-DE34F-GH56J-KM78N-PQ90R',
      license_type: {
        id: 1,
        name: 'Standard',
        kind: 'subscription',
        max_seats: 3,
        duration_days: 365,
        features: [],
        limits: {},
        meters: [],
        lease_minutes: null,
        new_devices_per_week: 0,
        updates_days: 365,
        max_major: null,
        starts: 'creation',
        downloads_when_expired: false,
        binding: 'device',
        devices_per_user: null,
      },
      customer_email: 'ada@example.com',
      metadata: metadataOf('{}'),
      order: { processor: 'stripe', connection_id: 1, order_id: 'A-1001', subscription_id: null, ref: null, line: null, test: false },
      expires_at: date,
      updates_until: date,
      created_at: addDays(date, -365),
    },
    now,
  );
  return license;
}
