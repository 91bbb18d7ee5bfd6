/**
 * Example values for the API documentation. The examples of different endpoints agree with each other. Keys and tokens have their real
 * format. Readers can verify the example tokens with the example public key.
 */

export const publicKeyExample =
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAP/J5JENb604swTUki5l94NJkg1plNStuMjHQ+wOSK5Q=\n-----END PUBLIC KEY-----\n';

/** The example public key as a JWK. The `kid` is the thumbprint of the key (RFC 7638). */
export const jwkExample = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: 'P_J5JENb604swTUki5l94NJkg1plNStuMjHQ-wOSK5Q',
  kid: 'xq4seTKrtK0Fu2JDpVOWVyyWi7LBBsv2xKQSdwfimf4',
  use: 'sig',
  alg: 'EdDSA',
};

export const productExample = {
  id: 1,
  name: 'Photo Studio',
  slug: 'photo-studio',
  api_key: 'pk_4vJH0r2cT3mQx1sYb8WfZg5NdKaPiLeU',
  public_key: publicKeyExample,
  list_devices: false,
  trials_per_hour: 500,
  created_at: '2026-11-20T13:52:00.123Z',
};

/** What the portal of the example product shows. */
export const logoExample = {
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  path: `/logos/${productExample.slug}/3f1d6c0b9a2e4d58.png`,
  width: 320,
  height: 96,
};

/** A link to a receipt. */
export const receiptExample = 'https://invoice.stripe.com/i/acct_1QaZ/live_YWNjdF8x';

export const portalExample = {
  title: productExample.name,
  support_url: 'https://example.com/help',
  shop_url: 'https://example.com/buy',
  imprint_url: 'https://example.com/imprint',
  privacy_url: 'https://example.com/privacy',
  logo: logoExample,
  color: '#0b7285',
  allow: ['free_devices', 'downloads'],
};

export const tokenExample = {
  id: 1,
  name: 'Support desk',
  scopes: ['support'],
  product_id: null,
  renewal_days: 14,
  expires_at: null,
  token: 'svc_mwiKDV2SFbOnBV-HSn3ehSeK55259WQJ2ydjcel8VZQv61Avk',
  created_at: '2026-11-20T13:52:00.123Z',
  last_used_on: '2026-11-20',
};

export const licenseTypeExample = {
  id: 1,
  product_id: 1,
  name: 'Team, yearly',
  kind: 'subscription',
  max_seats: 3,
  duration_days: 365,
  features: ['export', 'sync'],
  limits: { projects: 50 },
  meters: [{ name: 'exports', included: 1000, period: 'month', overage: 'allow', returnable: false }],
  lease_minutes: null,
  new_devices_per_week: 0,
  updates_days: null,
  max_major: null,
  starts: 'creation',
  downloads_when_expired: false,
  binding: 'device' as const,
  devices_per_user: null,
  self_service: false,
  archived: false,
  created_at: '2026-11-20T13:53:00.000Z',
};

export const deviceExample = {
  fingerprint: 'b445ee19bfe194f3a68519763147dfb40caadac8841b9a6de282dbcfa0614f31',
  platform: 'linux',
  name: "Ada's laptop",
  activated_at: '2026-11-20T14:00:00.000Z',
  lease_expires_at: null,
  last_seen_on: '2026-11-20',
};

const { product_id: _product, self_service: _trial, archived: _archived, created_at: _created, ...terms } = licenseTypeExample;

export const licenseExample = {
  id: 1,
  product_id: 1,
  key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z',
  status: 'active',
  expires_at: '2027-11-20T13:54:00.000Z',
  term: null,
  updates: { until: null, max_major: null },
  license_type: terms,
  seats: { used: 1, max: 3 },
  members: null,
  features: ['export', 'sync'],
  limits: { projects: 50 },
  customer_email: 'ada@example.com',
  language: null,
  label: null,
  metadata: { order: 'A-1001' },
  created_at: '2026-11-20T13:54:00.000Z',
  revoked_at: null,
  revoked_reason: null,
  suspended_at: null,
  suspended_reason: null,
  suspended_by: null,
  suspended_cause: null,
  order: null,
  new_devices: { count: 0, since: null },
  own_terms: [],
  activations: [{ ...deviceExample, member: null, app_version: '2.4.0', country: 'DE' }],
};

export const meterExample = {
  meter: 'exports',
  used: 38,
  included: 1000,
  remaining: 962,
  period: 'month' as const,
  resets_at: '2026-12-20T13:54:00.000Z',
};
export const adminMeterExample = { ...meterExample, overage: 'allow' as const, returnable: false };

export const clientLicenseExample = {
  id: 1,
  key: licenseExample.key,
  status: 'active',
  expires_at: licenseExample.expires_at,
  license_type: { name: 'Team, yearly', kind: 'subscription' },
};

/** An offline token that is bound to a device. */
export const deviceTokenExample =
  'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6InhxNHNlVEtydEswRnUySkRwVk9XVnl5V2k3TEJCc3YyeEtRU2R3ZmltZjQifQ.' +
  'eyJpc3MiOiJsaWNlbnNlLWtleS1zZXJ2aWNlIiwiYXVkIjoicGhvdG8tc3R1ZGlvIiwic3ViIjoiMSIsImp0aSI6IjBkNWMyZjll' +
  'NmIxYTRjN2Y4ZTNkMmIxYTA5ZjhlN2Q2IiwiaWF0IjoxNzk1MTgzMjAwLCJleHAiOjE3OTU3ODgwMDAsImZpbmdlcnByaW50Ijoi' +
  'YjQ0NWVlMTliZmUxOTRmM2E2ODUxOTc2MzE0N2RmYjQwY2FhZGFjODg0MWI5YTZkZTI4MmRiY2ZhMDYxNGYzMSIsImtpbmQiOiJz' +
  'dWJzY3JpcHRpb24iLCJsaWNlbnNlX2V4cGlyZXNfYXQiOiIyMDI3LTExLTIwVDEzOjU0OjAwLjAwMFoifQ.' +
  '4EUdtHZF9qh_U5AGUcpMKE-GM0ZpgQkZIZZazkA6hT_n42bzFh5DnhQ9bI0EYP2jRzTTqwrPArP54njKhoSaDQ';

/** An offline token that is not bound to a device. */
export const offlineTokenExample =
  'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6InhxNHNlVEtydEswRnUySkRwVk9XVnl5V2k3TEJCc3YyeEtRU2R3ZmltZjQifQ.' +
  'eyJpc3MiOiJsaWNlbnNlLWtleS1zZXJ2aWNlIiwiYXVkIjoicGhvdG8tc3R1ZGlvIiwic3ViIjoiMSIsImp0aSI6IjdiMWU0ZDkw' +
  'YTJjMzRmNWI5ZDZlOGY3YTAxYjJjM2Q0IiwiaWF0IjoxNzk1MTgzMjAwLCJleHAiOjE3OTc3NzUyMDAsImtpbmQiOiJzdWJzY3Jp' +
  'cHRpb24iLCJsaWNlbnNlX2V4cGlyZXNfYXQiOiIyMDI3LTExLTIwVDEzOjU0OjAwLjAwMFoifQ.' +
  '9FeEGj_jUJMRI21BV6f48ihZavFNnatMomTNbgutLkE8UPmSF7_94_3PPv9tzjcQ3xouO9ALVjQvpYv6yM8oAg';

export const webhookExample = {
  url: 'https://example.com/hooks/licenses',
  events: null,
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD6C1R5WfRT0w=',
};

const { activations: _, own_terms: __, ...eventLicense } = licenseExample;

export const deliveryExample = {
  id: '000000000100000002a1b2c3d4e5f607',
  event: 'license.activated',
  channel: 'webhook',
  product_id: 1,
  license_id: 1,
  url: webhookExample.url,
  status: 'delivered',
  attempts: 1,
  last_error: null,
  last_status: 200,
  created_at: '2026-11-20T14:00:00.000Z',
  next_attempt_at: null,
  delivered_at: '2026-11-20T14:00:00.085Z',
  payload: {
    id: '000000000100000002a1b2c3d4e5f607',
    event: 'license.activated',
    timestamp: '2026-11-20 14:00:00.000+00:00',
    data: {
      product: productExample.slug,
      license: { ...eventLicense, sequence: 2 },
      device: deviceExample,
    },
  },
  history: [{ attempt: 1, at: '2026-11-20T14:00:00.012Z', status: 200, error: null, duration_ms: 73 }],
};

export const testDeliveryExample = {
  ...deliveryExample,
  id: '000000000000000001c0ffee15900d42',
  event: 'webhook.test',
  license_id: null,
  status: 'pending',
  attempts: 0,
  last_status: null,
  next_attempt_at: deliveryExample.created_at,
  delivered_at: null,
  payload: {
    id: '000000000000000001c0ffee15900d42',
    event: 'webhook.test',
    timestamp: deliveryExample.payload.timestamp,
    data: { product: productExample.slug },
  },
  history: [],
};

export const artifactExample = {
  filename: 'photo-studio-2.4.0-arm64.dmg',
  platform: 'macos',
  arch: 'arm64',
  size: 104_857_600,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  sha512:
    'ee26b0dd4af7e749aa1a8ee3c10ae9923f618980772e473f8819a5d4940e0db27ac185f8a0e1d5f84f88bc887fd67b143732c304cc5fa9ad8e6f57f50028a8ff',
  signature: null,
  content_type: 'application/octet-stream',
  block_map_size: null,
  uploaded: true,
};

export const uploadExample = {
  method: 'PUT',
  url: 'https://production-releases-0a1b2c3d4e5f.s3.eu-central-1.amazonaws.com/releases/1/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/photo-studio-2.4.0-arm64.dmg?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600',
  headers: { 'content-type': 'application/octet-stream', 'x-amz-checksum-sha256': 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=' },
  expires_at: '2026-11-20T15:10:00.000Z',
};

export const draftExample = {
  id: 1,
  product_id: 1,
  version: '2.4.0',
  channel: 'stable',
  status: 'draft',
  notes: '- Faster export\n- Fixes a crash with empty libraries',
  released_at: null,
  features: [],
  build: null,
  minimum_system_version: null,
  staging_percentage: null,
  created_at: '2026-11-20T14:10:00.000Z',
  published_at: null,
  yanked_at: null,
  yanked_reason: null,
  artifacts: [],
};

export const releaseExample = {
  ...draftExample,
  status: 'published',
  released_at: '2026-11-20T14:20:00.000Z',
  published_at: '2026-11-20T14:20:00.000Z',
  artifacts: [artifactExample],
};
