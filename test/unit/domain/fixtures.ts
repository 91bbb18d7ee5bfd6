import type { Device, License } from '../../../lambdas/domain/license';

/** One license and one device, which the tests of the domain modify. */

export const DAY = 86_400_000;
/** 2026-11-20 13:52:00.123 UTC */
export const NOW = Date.UTC(2026, 10, 20, 13, 52, 0, 123);

export const license = (facts: Partial<License> = {}): License => ({
  id: 7,
  product_id: 3,
  product_slug: 'photo-studio',
  key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z',
  status: 'active',
  expires_at: NOW + 365 * DAY,
  license_type: {
    id: 5,
    name: 'Team, yearly',
    kind: 'subscription',
    max_seats: 3,
    duration_days: 365,
    features: [],
    limits: {},
    meters: [],
    lease_minutes: null,
    new_devices_per_week: 0,
    updates_days: null,
    max_major: null,
    starts: 'creation',
    downloads_when_expired: false,
  },
  term: null,
  updates_until: null,
  max_major: null,
  max_seats: null,
  features: null,
  limits: null,
  meters: null,
  meter_changes: {},
  term_starts: [],
  seats_used: 1,
  epoch: 2,
  sequence: 41,
  customer_email: 'ada@example.com',
  unverified_email: null,
  language: null,
  label: null,
  metadata: { json: '{"order":"A-1001"}' },
  created_at: NOW - 10 * DAY,
  revoked_at: null,
  revoked_reason: null,
  suspended: null,
  order: null,
  new_devices: null,
  warned_expiry: null,
  warned_updates: null,
  exhausted_at: null,
  erased_at: null,
  buyer_frees: null,
  buyer_reissues: [],
  key_mailed: false,
  ...facts,
});

export const device = (facts: Partial<Device> = {}): Device => ({
  fingerprint: 'b445ee19bfe194f3a68519763147dfb40caadac8841b9a6de282dbcfa0614f31',
  platform: 'linux',
  name: "Ada's laptop",
  activated_at: NOW - DAY,
  epoch: 2,
  lease_expires_at: null,
  last_seen_on: '2026-11-20',
  ...facts,
});
