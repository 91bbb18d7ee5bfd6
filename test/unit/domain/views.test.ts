import fc from 'fast-check';
import * as resources from '../../../lambdas/contract/resources';
import { clientLicenseView, deviceView, licenseSummary, licenseTypeView, licenseView, seatsView } from '../../../lambdas/domain/views';
import { device, license, NOW, shown } from './fixtures';

describe('a client app gets exactly the fields that the specification names', () => {
  test('of a license: id, key, status, expires_at and the name and kind of its type; not the buyer, not the metadata', () => {
    expect(clientLicenseView(license())).toEqual({
      id: 7,
      key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z',
      status: 'active',
      expires_at: '2027-11-20T13:52:00.123Z',
      license_type: { name: 'Team, yearly', kind: 'subscription' },
    });
  });

  test('of a license without expiry: null', () => expect(clientLicenseView(license({ expires_at: null })).expires_at).toBeNull());

  test('of a device: fingerprint, platform, name and when it was bound; not the epoch', () => {
    expect(deviceView(license(), device())).toEqual({
      fingerprint: device().fingerprint,
      platform: 'linux',
      name: "Ada's laptop",
      activated_at: '2026-11-19T13:52:00.123Z',
      lease_expires_at: null,
      last_seen_on: '2026-11-20',
    });
  });

  test('of the seats: the number of used seats and of all seats, 0 for unlimited', () => {
    expect(seatsView(license({ seats_used: 2 }))).toEqual({ used: 2, max: 3 });
    expect(seatsView(license({ license_type: { ...license().license_type, max_seats: 0 } }))).toEqual({ used: 1, max: 0 });
  });
});

describe('the operator sees the whole license', () => {
  const full = { ...shown, status: 'revoked', revoked_at: '2026-11-20T13:52:00.123Z' };
  const revoked = license({ status: 'revoked', revoked_at: NOW });

  test('in exactly the specified fields, of which the devices are last', () => {
    expect(licenseView(revoked, [device()])).toEqual({
      ...full,
      own_terms: [],
      activations: [{ ...deviceView(license(), device()), member: null, app_version: null, country: null }],
    });
    expect(licenseSummary(revoked, full.metadata)).toEqual(full);
  });

  test('without loss: the schema that filters responses has every field', () => {
    const view = licenseView(revoked, [device()]);
    expect(resources.license.parse(view)).toEqual(view);
    const client = clientLicenseView(revoked);
    expect(resources.clientLicense.parse(client)).toEqual(client);
  });

  test('devices come in the order in which they were bound, the same on every request', () => {
    const bound = [
      device({ fingerprint: 'machine-c', activated_at: NOW }),
      device({ fingerprint: 'machine-b', activated_at: NOW }),
      device({ fingerprint: 'machine-a', activated_at: NOW }),
      device({ fingerprint: 'machine-z', activated_at: NOW - 1 }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(bound, { minLength: bound.length }), (shuffled) => {
        const before = [...shuffled];
        expect(licenseView(license(), shuffled).activations.map(({ fingerprint }) => fingerprint)).toEqual([
          'machine-z',
          'machine-a',
          'machine-b',
          'machine-c',
        ]);
        expect(shuffled).toEqual(before);
      }),
    );
  });

  test('a device that a reset has unbound is not included, regardless of its row', () => {
    const left = device({ fingerprint: 'machine-old', epoch: license().epoch - 1 });
    expect(licenseView(license(), [left, device()]).activations).toMatchObject([deviceView(license(), device())]);
  });

  test('more devices than a response can contain are reduced to the first ones, so that the operator gets a response', () => {
    const many = Array.from({ length: 3 }, (_, place) =>
      device({ fingerprint: `machine-${place}`, name: '"'.repeat(450_000), activated_at: NOW + place }),
    );
    // Every quote takes four bytes in JSON within JSON, so two such devices fit into 4 MB, and three don't.
    expect(licenseView(license(), many).activations.map(({ fingerprint }) => fingerprint)).toEqual(['machine-0', 'machine-1']);
    expect(licenseView(license(), many.slice(1)).activations).toHaveLength(2);
    expect(licenseView(license({ seats_used: 3 }), many).seats.used).toBe(3);
  });

  test('metadata is returned unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (metadata) => {
        const text = JSON.stringify(metadata);
        expect(JSON.stringify(licenseView(license({ metadata: { json: text } }), []).metadata)).toBe(text);
      }),
    );
    const odd = '{"__proto__":{"admin":true},"constructor":1}';
    const view = licenseView(license({ metadata: { json: odd } }), []);
    expect(JSON.stringify(view.metadata)).toBe(odd);
    expect('admin' in view.metadata).toBe(false);
  });
});

test('a license type shows exactly the specified fields', () => {
  const type = {
    ...license().license_type,
    product_id: 3,
    self_service: false,
    archived: false,
    created_at: NOW,
  } as const;
  expect(licenseTypeView(type)).toEqual({ ...type, created_at: '2026-11-20T13:52:00.123Z' });
});
