/** Example values for the API documentation; one story told through all endpoints. */

export const publicKeyExample =
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAwyHkBPIpS4TQ0Jf8gIvXPhzFAvbCWpYR1oZ0LSDZVsI=\n-----END PUBLIC KEY-----\n';

export const productExample = {
  id: 1,
  name: 'Photo Studio',
  slug: 'photo-studio',
  api_key: 'pk_4vJH0r2cT3mQx1sYb8WfZg5NdKaPiLeU',
  public_key: publicKeyExample,
  created_at: '2026-11-20T13:52:00.123Z',
};

export const licenseTypeExample = {
  id: 1,
  product_id: 1,
  name: 'Team, yearly',
  kind: 'subscription',
  max_seats: 3,
  duration_days: 365,
  created_at: '2026-11-20T13:53:00.000Z',
};

export const deviceExample = {
  fingerprint: '5f1d7a84db00d2fce00b31a7fc73224f5f1d7a84db00d2fce00b31a7fc73224f',
  platform: 'linux',
  name: "Ada's laptop",
  activated_at: '2026-11-20T14:00:00.000Z',
};

export const licenseExample = {
  id: 1,
  product_id: 1,
  key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7C',
  status: 'active',
  expires_at: '2027-11-20T13:54:00.000Z',
  license_type: { id: 1, name: 'Team, yearly', kind: 'subscription', max_seats: 3, duration_days: 365 },
  seats: { used: 1, max: 3 },
  customer_email: 'ada@example.com',
  metadata: { order: 'A-1001' },
  created_at: '2026-11-20T13:54:00.000Z',
  revoked_at: null,
  activations: [deviceExample],
};

export const clientLicenseExample = {
  id: 1,
  key: licenseExample.key,
  status: 'active',
  expires_at: licenseExample.expires_at,
  license_type: { name: 'Team, yearly', kind: 'subscription' },
};

export const tokenExample =
  'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6IjFkOUYifQ.eyJpc3MiOiJsaWNlbnNlLWtleS1zZXJ2aWNlIn0.c2lnbmF0dXJl';
