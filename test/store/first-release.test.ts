import { unmarshall } from '@aws-sdk/util-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { handler as maintain } from '../../lambdas/events/maintain';
import { setAppForTests } from '../../lambdas/runtime/app';
import { startEventHarness, type EventHarness } from '../support/event-harness';
import { ADMIN_TOKEN } from '../support/harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';

/**
 * The rows in `fixtures/first-release.json.gz` were written by the first release (commit 45fe4ea) in a test, with
 * the encryption key `test-encryption-key`. Today's code serves them, before maintenance and after it.
 */

captureLogs();

interface Fixture {
  readonly made_at: number;
  readonly products: readonly { readonly id: number; readonly api_key: string }[];
  readonly floating: number;
  readonly licenses: Readonly<
    Record<
      'plain' | 'long' | 'reset' | 'revoked' | 'team' | 'lapsing',
      { readonly id: number; readonly key: string; readonly expires_at: string | null }
    >
  >;
  readonly idempotent: { readonly key: string; readonly body: object; readonly response: object };
  readonly rows: readonly Parameters<typeof unmarshall>[0][];
}

/** Bytes are `{"$b": base64}` in the fixture. */
const revive = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && '$b' in value && typeof value.$b === 'string' ? Buffer.from(value.$b, 'base64') : value;
const { made_at, products, floating, licenses, idempotent, rows } = JSON.parse(
  gunzipSync(readFileSync(join(__dirname, '../fixtures/first-release.json.gz'))).toString(),
  revive,
) as Fixture;
const [first, second] = products as [Fixture['products'][number], Fixture['products'][number]];

let service: EventHarness;
beforeAll(async () => {
  const table = await ownTable();
  service = startEventHarness(table, {
    fetchSecret: (name) =>
      Promise.resolve(name === 'adminToken' ? ADMIN_TOKEN : name === 'encryptionKey' ? 'test-encryption-key' : `test-${name}`),
  });
  service.advance(made_at - service.now());
  for (const row of rows) await service.client.send(new PutCommand({ TableName: table, Item: unmarshall(row) }));
});
afterAll(() => service.close());

const client = (name: string, product: typeof first, fields: Readonly<Record<string, string>>) =>
  service.call(name, {
    params: { id: product.id },
    apiKey: product.api_key,
    ...(name === 'validate' ? { query: fields } : { body: fields }),
  });
const ids = async (name: string, params: Readonly<Record<string, number>>, query: Readonly<Record<string, string>>): Promise<number[]> =>
  (await service.ok<{ id: number }[]>(name, { params, query })).map(({ id }) => id);

async function everythingWorks(round: string): Promise<void> {
  const machine = `machine-${round}`;
  // Client apps: valid, signed, and refused as before.
  for (const [product, { key }, fingerprint] of [
    [first, licenses.plain, 'machine-plain'],
    [first, licenses.long, 'machine-shared'],
    [first, licenses.reset, 'machine-kept'],
    [second, licenses.team, 'machine-shared'],
  ] as const) {
    expect(await client('validate', product, { key, fingerprint })).toMatchObject({
      status: 200,
      body: { valid: true, offline_token: expect.stringMatching(/\./) as unknown },
    });
  }
  expect((await client('validate', first, { key: licenses.reset.key, fingerprint: 'machine-freed' })).body).not.toHaveProperty(
    'offline_token',
  );
  expect((await client('activate', first, { key: licenses.revoked.key, fingerprint: machine })).status).toBe(403);
  expect(await client('activate', second, { key: licenses.team.key, fingerprint: machine })).toMatchObject({
    status: 200,
    body: { offline_token: expect.any(String) as unknown },
  });
  expect((await client('deactivate', second, { key: licenses.team.key, fingerprint: machine })).body).toMatchObject({ freed: true });
  // The operator: every kind of look and change.
  expect(await service.ok('getLicense', { params: { id: licenses.long.id } })).toMatchObject({
    metadata: { note: 'x'.repeat(16_000) },
    activations: [{ fingerprint: 'machine-shared' }],
  });
  // A request whose response was lost while the service was updated is not carried out twice.
  expect(await service.ok('createProduct', { body: idempotent.body, headers: { 'Idempotency-Key': idempotent.key } })).toEqual(
    idempotent.response,
  );
  expect(await service.ok('getLicenseType', { params: { id: floating } })).toMatchObject({ id: floating, features: [] });
  const { id } = licenses.plain;
  for (const [name, body] of [
    ['suspendLicense', {}],
    ['reinstateLicense', {}],
    ['updateLicense', { metadata: { round } }],
    ['renewLicense', { days: 1 }],
  ] as const)
    await service.ok(name, { params: { id }, body });
  expect((await service.ok<{ status: string }[]>('listLicenseEvents', { params: { id } })).length).toBeGreaterThan(2);
  expect(await service.ok('getOverview', { params: { id: first.id } })).toMatchObject({
    licenses: [{ active: expect.any(Number) as unknown }],
  });
  const inAll = [licenses.plain.id, licenses.long.id, licenses.team.id];
  expect(await ids('searchLicenses', {}, { customer_email: 'ADA@example.com' })).toEqual(inAll);
  expect(await ids('searchLicenses', {}, { key: licenses.team.key })).toEqual([licenses.team.id]);
}

test('what the first release wrote works at once', () => everythingWorks('before'));

test('after maintenance it works as well, and is found by expiry and by fingerprint', async () => {
  setAppForTests(service.app);
  await maintain();
  expect(await ids('searchLicenses', {}, { fingerprint: 'machine-shared' })).toEqual([licenses.long.id, licenses.team.id]);
  expect(await ids('searchLicenses', {}, { fingerprint: 'machine-freed' })).toEqual([]);
  const week = new Date(made_at + 7 * 86_400_000).toISOString();
  expect(await ids('listLicenses', { id: second.id }, { expires_before: week, sort: 'expires_at' })).toEqual([licenses.lapsing.id]);
  expect((await ids('listLicenses', { id: first.id }, { sort: 'expires_at' })).slice(0, 2)).toEqual([licenses.reset.id, licenses.long.id]);
  await everythingWorks('after');
  await service.ok('reissueLicense', { params: { id: licenses.long.id } });
  expect(await ids('searchLicenses', {}, { fingerprint: 'machine-shared' })).toEqual([licenses.team.id]);
});
