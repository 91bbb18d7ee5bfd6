import fc from 'fast-check';
import { activate, deactivate, validate } from '../../../lambdas/contract/activations';
import type { Endpoint } from '../../../lambdas/contract/endpoint';
import { updateLicense } from '../../../lambdas/contract/license-operations';
import { createLicense, listLicenses, mintOfflineToken, renewLicense, renewUpdates } from '../../../lambdas/contract/licenses';
import { createLicenseType } from '../../../lambdas/contract/license-types';
import { createProduct } from '../../../lambdas/contract/products';
import { isTimed, licenseKinds } from '../../../lambdas/contract/license-kinds';

type SafeParsed = { success: true } | { success: false; error: { issues: ReadonlyArray<{ path: readonly PropertyKey[] }> } };

/** The names of the invalid fields of a body; empty if the body is accepted. */
const refusedFor = (row: { readonly body: { safeParse: (body: unknown) => SafeParsed } }, body: unknown): string[] => {
  const result = row.body.safeParse(body);
  return result.success ? [] : [...new Set(result.error.issues.map(({ path }) => path.join('.')))];
};

describe('a license type has a duration only if its kind expires', () => {
  const type = { name: 'Team', kind: 'subscription', duration_days: 365 };

  test.each(licenseKinds.map((kind) => [kind]))('%s', (kind) => {
    expect(refusedFor(createLicenseType, { name: 'T', kind, duration_days: 30 })).toEqual(isTimed(kind) ? [] : ['duration_days']);
    expect(refusedFor(createLicenseType, { name: 'T', kind })).toEqual(isTimed(kind) ? ['duration_days'] : []);
    expect(refusedFor(createLicenseType, { name: 'T', kind, duration_days: null })).toEqual(isTimed(kind) ? ['duration_days'] : []);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['one day', { duration_days: 1 }, []],
    ['a century', { duration_days: 36_500 }, []],
    ['no days', { duration_days: 0 }, ['duration_days']],
    ['more than a century', { duration_days: 36_501 }, ['duration_days']],
    ['half a day', { duration_days: 0.5 }, ['duration_days']],
    ['days as text', { duration_days: '30' }, ['duration_days']],
    ['no seats means unlimited', { max_seats: 0 }, []],
    ['the most seats', { max_seats: Number.MAX_SAFE_INTEGER }, []],
    ['more seats than can be counted', { max_seats: Number.MAX_SAFE_INTEGER + 1 }, ['max_seats']],
    ['negative seats', { max_seats: -1 }, ['max_seats']],
    ['half a seat', { max_seats: 1.5 }, ['max_seats']],
    ['seats as text', { max_seats: '3' }, ['max_seats']],
    ['an unknown kind', { kind: 'perpetual' }, ['kind']],
    ['a kind in capitals', { kind: 'Subscription' }, ['kind']],
    ['no kind', { kind: undefined }, ['kind']],
    ['no name', { name: undefined }, ['name']],
  ])('%s', (_case, change, fields) => expect(refusedFor(createLicenseType, { ...type, ...change })).toEqual(fields));

  test('seats default to unlimited', () => expect(createLicenseType.body.parse(type).max_seats).toBe(0));
});

describe('a renewal has exactly one form', () => {
  const moment = '2028-01-01T00:00:00Z';
  test.each<[string, unknown, string[]]>([
    ['by the license type', {}, []],
    ['by days', { days: 30 }, []],
    ['by a moment', { expires_at: moment }, []],
    ['nulls are as good as nothing', { days: null, expires_at: null }, []],
    ['days, with a null beside', { days: 1, expires_at: null }, []],
    ['a moment, with a null beside', { days: null, expires_at: moment }, []],
    ['by both', { days: 30, expires_at: moment }, ['days']],
    ['by no days', { days: 0 }, ['days']],
    ['backwards', { days: -1 }, ['days']],
    ['by too many days', { days: 36_501 }, ['days']],
    ['by part of a day', { days: 1.5 }, ['days']],
    ['by no moment', { expires_at: 'soon' }, ['expires_at']],
  ])('%s', (_case, body, fields) => expect(refusedFor(renewLicense, body)).toEqual(fields));
});

describe('a license needs a type, and accepts all other fields that the operator knows', () => {
  test.each<[string, unknown, string[]]>([
    ['a type alone', { license_type_id: 1 }, []],
    ['everything', { license_type_id: 1, customer_email: 'ada@example.com', metadata: {}, expires_at: '2028-01-01T00:00:00Z' }, []],
    ['nulls where they mean nothing', { license_type_id: 1, customer_email: null, expires_at: null }, []],
    ['unknown fields can set nothing', { license_type_id: 1, status: 'revoked', id: 5 }, []],
    ['a key that is too short', { license_type_id: 1, key: 'ABC-1234' }, ['key']],
    ['no type', {}, ['license_type_id']],
    ['a type as text', { license_type_id: '1' }, ['license_type_id']],
    ['part of a type', { license_type_id: 1.5 }, ['license_type_id']],
    ['a type beyond all ids', { license_type_id: 1e300 }, ['license_type_id']],
    ['a bad address', { license_type_id: 1, customer_email: 'ada' }, ['customer_email']],
    ['an empty address', { license_type_id: 1, customer_email: '' }, ['customer_email']],
    ['metadata that is a list', { license_type_id: 1, metadata: [] }, ['metadata']],
    ['metadata that is null', { license_type_id: 1, metadata: null }, ['metadata']],
    ['an expiry that does not exist', { license_type_id: 1, expires_at: '2027-02-30T00:00:00Z' }, ['expires_at']],
  ])('%s', (_case, body, fields) => expect(refusedFor(createLicense, body)).toEqual(fields));

  test('unknown fields are dropped', () =>
    expect(createLicense.body.parse({ license_type_id: 1, status: 'revoked', id: 5 })).toEqual({ license_type_id: 1 }));
});

test.each<[unknown, string[]]>([
  [{}, []],
  [{ ttl_days: null }, []],
  [{ ttl_days: 1 }, []],
  [{ ttl_days: 3650 }, []],
  [{ ttl_days: 0 }, ['ttl_days']],
  [{ ttl_days: 3651 }, ['ttl_days']],
  [{ ttl_days: '30' }, ['ttl_days']],
])('an offline token is valid for 1 to 3,650 whole days: %p', (body, fields) => expect(refusedFor(mintOfflineToken, body)).toEqual(fields));

test.each<[unknown, string[]]>([
  [{ key: 'K', fingerprint: 'f'.repeat(64) }, []],
  [{ key: 'K', fingerprint: 'f'.repeat(64), name: null, platform: null }, []],
  [{ key: 'K', fingerprint: 'f'.repeat(64), name: '', platform: 'x'.repeat(200) }, []],
  [{ key: 'K', fingerprint: 'f'.repeat(64), name: 'x'.repeat(201) }, ['name']],
  [{ key: 'K', fingerprint: 'f'.repeat(64), platform: 5 }, ['platform']],
  [{ key: 'K' }, ['fingerprint']],
  [{ fingerprint: 'f'.repeat(64) }, ['key']],
])('an app can activate with a key and a fingerprint, and label its device: %p', (body, fields) =>
  expect(refusedFor(activate, body)).toEqual(fields),
);

describe('queries', () => {
  test.each<[string, Record<string, string>, boolean]>([
    ['both', { key: 'K', fingerprint: 'abcdefgh' }, true],
    ['no fingerprint', { key: 'K' }, false],
    ['no key', { fingerprint: 'abcdefgh' }, false],
    ['an empty key', { key: '', fingerprint: 'abcdefgh' }, false],
  ])('a validation needs a key and a fingerprint: %s', (_case, query, fits) => expect(validate.query.safeParse(query).success).toBe(fits));

  test.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ status: 'active' }, true],
    [{ status: 'expired', license_type_id: '2', limit: '10', customer_email: 'ada@example.com' }, true],
    [{ customer_email: 'not an address' }, true],
    [{ status: 'ACTIVE' }, false],
    [{ status: '' }, false],
    [{ license_type_id: '0' }, false],
    [{ license_type_id: 'x' }, false],
    [{ customer_email: '' }, false],
    // The filter refuses an address that is longer than any stored address, because a longer text would not fit into an index key.
    [{ customer_email: 'a'.repeat(3000) }, false],
    [{ key: '' }, false],
  ])('a filter of licenses may have any value that a license can have: %p', (query, fits) =>
    expect(listLicenses.query.safeParse(query).success).toBe(fits),
  );
});

const lifetime = { name: 'A', kind: 'lifetime' };
const claim = { key: 'K', fingerprint: 'f'.repeat(64) };
/** Rows with a body, and the fields that its refusal names. */
const wrong: readonly [Pick<Endpoint, 'name'> & Parameters<typeof refusedFor>[0], object, string[]][] = [
  [createLicenseType, { ...lifetime, max_seats: null }, ['max_seats']],
  [createLicenseType, { ...lifetime, updates_days: 0 }, ['updates_days']],
  [createLicenseType, { ...lifetime, updates_days: 36_501 }, ['updates_days']],
  [createLicenseType, { ...lifetime, max_major: 1_000_001 }, ['max_major']],
  [createLicenseType, { ...lifetime, max_major: -1 }, ['max_major']],
  [createLicenseType, { ...lifetime, starts: 'activation' }, ['starts']],
  [createLicenseType, { name: 'A', kind: 'trial', duration_days: 3, starts: 'later' }, ['starts']],
  [createLicense, { license_type_id: 1, updates_until: '2030-01-01' }, ['updates_until']],
  [createLicense, { license_type_id: 1, max_major: 1.5 }, ['max_major']],
  [createLicense, { license_type_id: [1] }, ['license_type_id']],
  [createLicense, { license_type_id: 1, customer_email: 5 }, ['customer_email']],
  [createLicense, { license_type_id: 1, metadata: 'x' }, ['metadata']],
  [createLicense, { license_type_id: 1, expires_at: 1_900_000_000 }, ['expires_at']],
  [updateLicense, {}, ['']],
  [updateLicense, { customer_mail: 'ada@example.com' }, ['']],
  [updateLicense, { features: ['Export'] }, ['features.0']],
  [updateLicense, { features: ['a', 'a'] }, ['features']],
  [updateLicense, { limits: { '-cores': 1 } }, ['limits.-cores']],
  [updateLicense, { limits: { cores: 1.5 } }, ['limits.cores']],
  [updateLicense, { limits: { cores: -1 } }, ['limits.cores']],
  // These limits would make a token too long.
  [
    updateLicense,
    { limits: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`a-rather-long-name-of-one-of-the-limits-${n}`, n])) },
    ['limits'],
  ],
  [updateLicense, { customer_email: 'ada' }, ['customer_email']],
  [updateLicense, { max_seats: -1 }, ['max_seats']],
  [updateLicense, { updates_until: '2030-02-30T00:00:00Z' }, ['updates_until']],
  [updateLicense, { updates_until: 0 }, ['updates_until']],
  [updateLicense, { max_major: 1_000_001 }, ['max_major']],
  [updateLicense, { max_major: '3' }, ['max_major']],
  [renewUpdates, { days: 0 }, ['days']],
  [renewUpdates, { days: 36_501 }, ['days']],
  [renewUpdates, { days: 1.5 }, ['days']],
  [renewUpdates, { until: '2030-13-01T00:00:00Z' }, ['until']],
  [renewUpdates, { days: 1, until: '2030-01-01T00:00:00Z' }, ['days']],
  [activate, { ...claim, key: 5 }, ['key']],
  [activate, { ...claim, key: [] }, ['key']],
  [activate, { ...claim, name: 5 }, ['name']],
  [activate, { ...claim, name: 'a\nb' }, ['name']],
  [activate, { ...claim, release: 'v2' }, ['release']],
  [activate, { ...claim, release: { version: 2 } }, ['release.version']],
  [activate, { ...claim, release: { version: 'v'.repeat(201) } }, ['release.version']],
  [activate, { ...claim, release: { released_at: 'yesterday' } }, ['release.released_at']],
  [activate, { ...claim, release: { released_at: 1_790_000_000 } }, ['release.released_at']],
  [activate, { ...claim, replace: 5 }, ['replace']],
  [activate, { ...claim, replace: 'r'.repeat(300) }, ['replace']],
  [deactivate, { key: 'K', device: 5 }, ['device']],
  [deactivate, { key: 'K', device: '' }, ['device']],
  [mintOfflineToken, { ttl_days: -1 }, ['ttl_days']],
  [mintOfflineToken, { ttl_days: 1.5 }, ['ttl_days']],
];
test.each(wrong.map(([row, body, fields]) => [row.name, body, fields, row] as const))('%s with %j is refused', (_name, body, fields, row) =>
  expect(refusedFor(row, body)).toEqual(fields),
);

test.each([
  [{ version: '\u0000' }, 'version'],
  [{ released_at: '2026-02-30T00:00:00Z' }, 'released_at'],
])('a validation with %j is refused', (fields, field) =>
  expect(refusedFor({ body: validate.query }, { ...claim, ...fields })).toEqual([field]),
);

test('a body schema refuses every invalid JSON value without an exception', () => {
  const rows = [createProduct, createLicenseType, createLicense, renewLicense, mintOfflineToken, activate];
  const field = fc.constantFrom(
    'name',
    'slug',
    'kind',
    'max_seats',
    'duration_days',
    'license_type_id',
    'customer_email',
    'metadata',
    'expires_at',
    'days',
    'ttl_days',
    'key',
    'fingerprint',
    'platform',
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.jsonValue())), (body) => {
      for (const row of rows) row.body.safeParse(body);
    }),
    { numRuns: 500 },
  );
});
