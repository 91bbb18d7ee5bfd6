import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { REFUSALS } from '../../lambdas/contract/limits';
import { lookupKey } from '../../lambdas/domain/license-key';
import { licenseIdKey, licenseKey } from '../../lambdas/store/keys';
import type { AppParts } from '../../lambdas/runtime/app';
import { startHarness, type CallResult, type Harness } from '../support/harness';
import { intercept } from '../support/intercept';
import { eventsOf } from '../support/table';

/** Tests the handlers of requests that operators and client apps send after a license was sold (docs/spec/licenses.md). */

const DAY = 86_400_000;
const MINUTE = 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();

interface Shop {
  readonly service: Harness;
  readonly productId: number;
  admin(name: string, params: object, body?: unknown, headers?: Record<string, string>): Promise<CallResult>;
  type(fields?: object): Promise<number>;
  license(typeId: number, fields?: object): Promise<{ id: number; key: string } & Record<string, unknown>>;
  client(name: 'activate' | 'deactivate' | 'startTrial', body: object): Promise<CallResult>;
  validate(key: string, fingerprint: string, token?: string): Promise<CallResult>;
  events(id: number): Promise<string[]>;
}

const open: Harness[] = [];
afterAll(() => open.forEach((service) => service.close()));

async function openShop(expiringDays = 0, parts: Partial<AppParts> = {}): Promise<Shop> {
  const service = startHarness(parts);
  open.push(service);
  Object.assign(service.app.config, { expiringDays });
  const slug = `ops-${randomBytes(6).toString('hex')}`;
  const product = (await service.call('createProduct', { body: { name: slug, slug } })).body;
  const productId = Number(product['id']);
  const apiKey = String(product['api_key']);
  const made = async (name: string, body: object): Promise<Record<string, unknown>> => {
    const result = await service.call(name, { params: { id: productId }, body });
    if (result.status !== 201) throw new Error(`${name}: ${JSON.stringify(result.body)}`);
    return result.body;
  };
  return {
    service,
    productId,
    admin: (name, params, body, headers = {}) =>
      service.call(name, { params: params as Record<string, string>, ...(body !== undefined && { body }), headers }),
    type: async (fields = {}) =>
      Number((await made('createLicenseType', { name: randomBytes(5).toString('hex'), kind: 'lifetime', max_seats: 2, ...fields }))['id']),
    license: async (typeId, fields = {}) => {
      const body = await made('createLicense', { license_type_id: typeId, ...fields });
      return { ...body, id: Number(body['id']), key: String(body['key']) };
    },
    client: (name, body) => service.call(name, { params: { id: productId }, apiKey, body }),
    validate: (key, fingerprint, token) =>
      service.call('validate', {
        params: { id: productId },
        apiKey,
        query: { key, fingerprint },
        ...(token !== undefined && { headers: { 'X-Svc-Token': token } }),
      }),
    events: async (id) => (await eventsOf(id)).map(({ event }) => event),
  };
}

/** The claims of a token or a verdict. */
const claimsOf = (jws: unknown): object | undefined =>
  typeof jws === 'string' ? (JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as object) : undefined;
const verdictOf = (headers: CallResult['headers']): object | undefined => claimsOf(headers['X-Svc-Verdict']);

const code = ({ status, headers }: CallResult): [number, string | undefined] => [status, headers['X-Svc-Error-Code']];

describe('notes', () => {
  test('are listed newest first, page by page, each with its author; they do not change the license', async () => {
    const { service, admin, type, license, events } = await openShop();
    const { id } = await license(await type());
    const other = await license(await type());
    const before = (await admin('getLicense', { id })).body;
    const notes: unknown[] = [];
    for (const text of ['First', 'Second\nwith a second line', 'x'.repeat(2000)]) {
      const written = await admin('createNote', { id }, { text: ` ${text} ` });
      expect(written).toMatchObject({ status: 201, body: { text, at: iso(service.now()), actor: 'deployment', actor_name: 'deployment' } });
      notes.unshift(written.body);
      service.advance(MINUTE);
    }
    expect((await admin('listNotes', { id })).body).toEqual(notes);
    expect((await admin('listNotes', { id: other.id })).body).toEqual([]);
    const page = await service.call('listNotes', { params: { id }, query: { limit: '2' } });
    const cursor = /cursor=([^&>]+)/.exec(page.headers['Link'] ?? '')?.[1];
    expect([page.body, (await service.call('listNotes', { params: { id }, query: { cursor: cursor! } })).body]).toEqual([
      notes.slice(0, 2),
      notes.slice(2),
    ]);
    const note = String((notes[1] as { id: string }).id);
    expect(await admin('deleteNote', { id: other.id, note })).toMatchObject({ status: 404 });
    expect(await admin('deleteNote', { id, note })).toMatchObject({ status: 200, body: { deleted: true } });
    expect(await admin('deleteNote', { id, note })).toMatchObject({ status: 404 });
    expect((await admin('listNotes', { id })).body).toEqual([notes[0], notes[2]]);
    expect((await admin('getLicense', { id })).body).toEqual(before);
    expect(await events(id)).toEqual(['license.created']);
  });

  test('without text, with too much text, or for a missing license are refused', async () => {
    const { admin, type, license } = await openShop();
    const { id } = await license(await type());
    for (const text of ['', '  \n ', 'x'.repeat(2001), 'a\u0007b', 7, null])
      expect(code(await admin('createNote', { id }, { text }))).toEqual([422, 'invalid_request']);
    for (const name of ['createNote', 'listNotes']) expect((await admin(name, { id: 999_999_999 }, { text: 'x' })).status).toBe(404);
    expect((await admin('deleteNote', { id, note: 'no-id' })).status).toBe(404);
  });
});

describe('why a request was refused', () => {
  const shownRefusals = async ({ admin }: Shop, id: number): Promise<Record<string, unknown>[]> =>
    (await admin('listLicenseRefusals', { id })).body as unknown as Record<string, unknown>[];

  test('is shown with the license: the reason, hints, and how often; of the key and device only hints are shown', async () => {
    const shop = await openShop();
    const { service, admin, client, validate } = shop;
    const { id, key } = await shop.license(await shop.type({ max_seats: 1 }));
    await client('activate', { key, fingerprint: 'fingerprint-of-the-first' });
    expect(await shownRefusals(shop, id)).toEqual([]);
    const second = {
      key: key.toLowerCase(),
      fingerprint: 'fingerprint-of-the-second',
      name: 'Laptop',
      platform: 'linux',
      release: { version: '2.4.0' },
    };
    const at = iso(service.now());
    expect(code(await client('activate', second))).toEqual([429, 'no_seats']);
    const shown = {
      at,
      last_at: at,
      count: 1,
      license_id: id,
      reason: 'no_seats',
      key_hint: key.slice(0, 5),
      fingerprint_hint: 'fingerpr',
      name: 'Laptop',
      platform: 'linux',
      version: '2.4.0',
    };
    expect(await shownRefusals(shop, id)).toEqual([shown]);
    // A refusal is counted at most once a minute.
    service.advance(30_000);
    await client('activate', second);
    expect(await shownRefusals(shop, id)).toEqual([shown]);
    service.advance(31_000);
    await client('activate', second);
    expect(await shownRefusals(shop, id)).toEqual([{ ...shown, last_at: iso(service.now()), count: 2 }]);
    // After an hour the refusal is counted in a new row.
    service.advance(60 * MINUTE);
    await client('activate', second);
    expect((await shownRefusals(shop, id)).map(({ count }) => count)).toEqual([1, 2]);
    await admin('revokeLicense', { id });
    service.advance(1000);
    await validate(key, 'fingerprint-of-the-first');
    const [newest, ...older] = await shownRefusals(shop, id);
    expect([newest, older.length]).toMatchObject([{ reason: 'license_revoked', fingerprint_hint: 'fingerpr', version: null }, 2]);
    service.advance(31 * DAY);
    expect(await shownRefusals(shop, id)).toEqual([]);
  });

  test("refusals of a reissued license's old key are in the list of the license, and refusals of a trial are in the list of the trial", async () => {
    const shop = await openShop();
    const { id, key } = await shop.license(await shop.type());
    await shop.admin('reissueLicense', { id });
    expect((await shop.validate(key, 'fingerprint-1')).body['status']).toBe('revoked');
    expect(await shownRefusals(shop, id)).toMatchObject([{ license_id: id, reason: 'license_revoked', key_hint: key.slice(0, 5) }]);
    await shop.type({ kind: 'trial', duration_days: 1, self_service: true });
    const trial = await shop.client('startTrial', { fingerprint: 'fingerprint-1' });
    const trialId = Number((trial.body['license'] as unknown as { id: number }).id);
    await shop.admin('revokeLicense', { id: trialId });
    expect((await shop.client('startTrial', { fingerprint: 'fingerprint-1', name: 'PC' })).status).toBe(403);
    expect(await shownRefusals(shop, trialId)).toMatchObject([{ reason: 'license_revoked', name: 'PC' }]);
  });

  test('refusals of unknown keys are in the list of their product, page by page: the newest 200, even if an attacker sends many', async () => {
    const { service, productId, validate, client } = await openShop();
    const list = async (query: Record<string, string> = {}): Promise<CallResult & { rows: Record<string, unknown>[] }> => {
      const result = await service.call('listProductRefusals', { params: { id: productId }, query });
      return { ...result, rows: result.body as unknown as Record<string, unknown>[] };
    };
    await service.call('validate', { params: { id: productId }, apiKey: 'wrong', query: { key: 'AAAAA-1', fingerprint: 'fingerprint-1' } });
    expect((await list()).rows).toEqual([]);
    for (let count = 0; count < 204; count += 1) {
      service.advance(300);
      await validate(`K${count}-never-issued`, 'fingerprint-1');
    }
    service.advance(300);
    expect((await client('activate', { key: 'another key', fingerprint: 'fingerprint-2' })).status).toBe(404);
    const all = (await list()).rows;
    expect(all[0]).toMatchObject({ license_id: null, reason: 'not_found', key_hint: 'ANOTH' });
    expect(all[1]).toMatchObject({ license_id: null, reason: 'invalid', key_hint: 'K203' });
    expect(all.map(({ key_hint }) => key_hint)).toEqual(['ANOTH', ...Array.from({ length: 199 }, (_, place) => `K${203 - place}`)]);
    const first = await list({ limit: '150' });
    const cursor = /cursor=([^&>]+)/.exec(first.headers['Link'] ?? '')?.[1] ?? '';
    expect([...first.rows, ...(await list({ cursor })).rows]).toEqual(all);
  });

  test('in one minute at most 60 refusals of a license are written; then the rows are not even read until the next minute', async () => {
    const shop = await openShop();
    const { service, client } = shop;
    const { id, key } = await shop.license(await shop.type({ max_seats: 1 }));
    await client('activate', { key, fingerprint: 'fingerprint-1' });
    service.advance(MINUTE - (service.now() % MINUTE));
    const calls: string[] = [];
    intercept(service.client, ({ operation }, next) => {
      calls.push(operation);
      return next();
    });
    const refuse = async (device: number): Promise<number> => {
      service.advance(100);
      await client('activate', { key, fingerprint: `another-device-${device}` });
      return calls.splice(0).filter((call) => call === 'PutItem' || call === 'Query').length;
    };
    await client('activate', { key, fingerprint: 'another-device' });
    for (let device = 0; device < 61; device += 1) await refuse(device);
    expect(await refuse(61)).toBe(0);
    service.advance(MINUTE);
    expect(await refuse(62)).toBe(2);
    expect((await shownRefusals(shop, id)).length).toBe(20);
  });

  test('40 refusals at the same moment create at most 20 rows, and only one row if all are for the same device', async () => {
    const shop = await openShop();
    const { id, key } = await shop.license(await shop.type({ max_seats: 1 }));
    await shop.client('activate', { key, fingerprint: 'fingerprint-1' });
    const many = Array.from({ length: 40 }, (_, count) => ({ key, fingerprint: `another-device-${count}` }));
    const refused = await Promise.all(many.map((body) => shop.client('activate', body)));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    const rows = await shownRefusals(shop, id);
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.length).toBeLessThanOrEqual(20);
    expect(new Set(rows.map(({ count }) => count))).toEqual(new Set([1]));
    const other = await shop.license(await shop.type({ max_seats: 1 }));
    await shop.client('activate', { key: other.key, fingerprint: 'fingerprint-1' });
    await Promise.all(many.map(() => shop.client('activate', { key: other.key, fingerprint: 'the-same-device' })));
    expect((await shownRefusals(shop, other.id)).map(({ count }) => count)).toEqual([1]);
  });

  test.each(['fails', 'hangs'])('an app gets its response even if the recording %s', async (fault) => {
    const shop = await openShop(0, { refusalWaitMs: REFUSALS.waitMs });
    const { id, key } = await shop.license(await shop.type());
    await shop.admin('revokeLicense', { id });
    intercept(shop.service.client, ({ operation }, next) => {
      if (operation !== 'Query') return next();
      return fault === 'fails' ? Promise.reject(new Error('The table is broken')) : new Promise<never>(() => undefined);
    });
    expect((await shop.validate(key, 'fingerprint-1')).body).toEqual({ valid: false, status: 'revoked' });
    expect(code(await shop.client('activate', { key, fingerprint: 'fingerprint-1' }))).toEqual([403, 'license_revoked']);
  });
});

test('a revocation keeps the reason of the first call', async () => {
  const { admin, type, license } = await openShop();
  const { id } = await license(await type());
  expect((await admin('getLicense', { id })).body['revoked_reason']).toBeNull();
  expect(code(await admin('revokeLicense', { id }, { reason: 'x'.repeat(201) }))).toEqual([422, 'invalid_request']);
  expect((await admin('revokeLicense', { id }, { reason: 'leaked' })).body).toMatchObject({ status: 'revoked', revoked_reason: 'leaked' });
  expect((await admin('revokeLicense', { id }, { reason: 'again' })).body['revoked_reason']).toBe('leaked');
  const silent = await license(await type());
  expect((await admin('revokeLicense', { id: silent.id })).body).toMatchObject({ status: 'revoked', revoked_reason: null });
});

describe('suspension', () => {
  test("refuses the license's devices until the license is reinstated, and each change causes one event", async () => {
    const { admin, type, license, client, validate, events } = await openShop();
    const { id, key } = await license(await type());
    await client('activate', { key, fingerprint: 'machine-1' });
    const suspended = await admin('suspendLicense', { id }, { reason: 'chargeback' });
    expect(suspended).toMatchObject({
      status: 200,
      body: { status: 'suspended', suspended_reason: 'chargeback', suspended_by: 'operator', suspended_cause: 'operator' },
    });
    expect(suspended.body['suspended_at']).toMatch(/Z$/);
    expect((await admin('suspendLicense', { id }, { reason: 'again' })).body['suspended_reason']).toBe('chargeback');
    const refused = await client('activate', { key, fingerprint: 'machine-1' });
    expect(code(refused)).toEqual([403, 'license_suspended']);
    const validation = await validate(key, 'machine-1');
    expect(validation.body).toEqual({ valid: false, status: 'suspended' });
    // The responses to the activation and to the validation both contain a verdict for this license and device.
    for (const { headers } of [refused, validation])
      expect(verdictOf(headers)).toMatchObject({
        iss: 'license-key-service',
        sub: String(id),
        status: 'suspended',
        fingerprint: 'machine-1',
      });
    expect(code(await admin('mintOfflineToken', { id }))).toEqual([403, 'license_suspended']);
    expect((await client('deactivate', { key, fingerprint: 'machine-1' })).body).toEqual({ freed: true });
    expect((await admin('reinstateLicense', { id })).body).toMatchObject({
      status: 'active',
      suspended_at: null,
      suspended_reason: null,
      suspended_by: null,
      suspended_cause: null,
    });
    expect((await admin('reinstateLicense', { id })).status).toBe(200);
    expect((await client('activate', { key, fingerprint: 'machine-1' })).status).toBe(200);
    expect(await events(id)).toEqual([
      'license.created',
      'license.activated',
      'license.suspended',
      'license.deactivated',
      'license.reinstated',
      'license.activated',
    ]);
  });

  test('a renewal leaves a license suspended, a revocation ends the suspension, and a revocation is final', async () => {
    const { admin, type, license, client } = await openShop();
    const { id, key } = await license(await type({ kind: 'subscription', duration_days: 30 }));
    await admin('suspendLicense', { id });
    expect((await admin('renewLicense', { id }, { days: 10 })).body['status']).toBe('suspended');
    expect((await admin('revokeLicense', { id })).body).toMatchObject({ status: 'revoked', suspended_at: null, suspended_by: null });
    for (const name of ['suspendLicense', 'reinstateLicense', 'reissueLicense'])
      expect(code(await admin(name, { id }))).toEqual([403, 'license_revoked']);
    expect(code(await client('activate', { key, fingerprint: 'machine-1' }))).toEqual([403, 'license_revoked']);
  });

  test('if the expiry passes during a suspension, the first check after the reinstatement reports it', async () => {
    const { service, admin, type, license, validate, events } = await openShop();
    const { id, key } = await license(await type({ kind: 'trial', duration_days: 1 }));
    await admin('suspendLicense', { id });
    service.advance(2 * DAY);
    expect((await validate(key, 'machine-1')).body).toEqual({ valid: false, status: 'suspended' });
    expect((await admin('reinstateLicense', { id })).body['status']).toBe('active');
    expect((await validate(key, 'machine-1')).body).toEqual({ valid: false, status: 'expired' });
    expect(await events(id)).toEqual(['license.created', 'license.suspended', 'license.reinstated', 'license.expired']);
  });
});

describe('an edit', () => {
  test('changes the named fields only', async () => {
    const { admin, type, license, events } = await openShop();
    const bigger = await type({ max_seats: 9, features: ['sync'], limits: { projects: 50 } });
    const { id } = await license(await type({ features: ['export'], limits: { cores: 8 } }), {
      customer_email: 'ada@example.com',
      metadata: { order: 1 },
    });
    expect((await admin('updateLicense', { id }, { customer_email: 'grace@example.com' })).body).toMatchObject({
      customer_email: 'grace@example.com',
      metadata: { order: 1 },
      features: ['export'],
      limits: { cores: 8 },
    });
    expect((await admin('updateLicense', { id }, { metadata: { note: 'x'.repeat(2000) } })).body).toMatchObject({
      metadata: { note: 'x'.repeat(2000) },
    });
    expect((await admin('updateLicense', { id }, { metadata: { note: 'x'.repeat(2000) } })).status).toBe(200);
    expect((await admin('updateLicense', { id }, { max_seats: 5, features: ['b', 'a'] })).body).toMatchObject({
      seats: { max: 5 },
      features: ['a', 'b'],
    });
    expect((await admin('updateLicense', { id }, { limits: { projects: 2 ** 53 - 1, cores: 0 } })).body).toMatchObject({
      limits: { cores: 0, projects: 2 ** 53 - 1 },
      license_type: { limits: { cores: 8 } },
    });
    // If a license moves to another type, it keeps its own seats, features and limits.
    expect((await admin('updateLicense', { id }, { license_type_id: bigger })).body).toMatchObject({
      license_type: { id: bigger },
      seats: { max: 5 },
      features: ['a', 'b'],
      limits: { cores: 0 },
    });
    expect((await admin('updateLicense', { id }, { max_seats: null, features: null, limits: null })).body).toMatchObject({
      seats: { max: 9 },
      features: ['sync'],
      limits: { projects: 50 },
    });
    expect(await events(id)).toEqual(['license.created', ...Array<string>(6).fill('license.updated')]);
  });

  test('with a wrong field is refused and changes nothing', async () => {
    const { admin, type, license, events } = await openShop();
    const { id } = await license(await type());
    expect(code(await admin('updateLicense', { id }, { max_seats: 3, customer_email: 'ada' }))).toEqual([422, 'invalid_request']);
    expect(await events(id)).toEqual(['license.created']);
  });

  test('a later expiry makes an expired license active again, and a revoked license only accepts address and metadata', async () => {
    const { service, admin, type, license, client, validate } = await openShop();
    const { id, key } = await license(await type({ kind: 'subscription', duration_days: 1 }));
    service.advance(2 * DAY);
    await validate(key, 'machine-1');
    expect((await admin('getLicense', { id })).body['status']).toBe('expired');
    expect((await admin('updateLicense', { id }, { max_seats: 3 })).body['status']).toBe('expired');
    const later = iso(service.now() + DAY);
    expect((await admin('updateLicense', { id }, { expires_at: later })).body).toMatchObject({ status: 'active', expires_at: later });
    expect((await admin('updateLicense', { id }, { expires_at: iso(service.now() - DAY) })).body['status']).toBe('active');
    expect((await validate(key, 'machine-1')).body).toEqual({ valid: false, status: 'expired' });
    expect((await admin('updateLicense', { id }, { expires_at: null })).body).toMatchObject({ status: 'active', expires_at: null });
    expect((await client('activate', { key, fingerprint: 'machine-1' })).status).toBe(200);
    await admin('revokeLicense', { id });
    expect(code(await admin('updateLicense', { id }, { expires_at: null }))).toEqual([403, 'license_revoked']);
    expect((await admin('updateLicense', { id }, { customer_email: 'x@example.com', metadata: { refund: true } })).status).toBe(200);
  });

  test('supports an Idempotency-Key, and never frees the seat of a device', async () => {
    const { admin, type, license, client, events } = await openShop();
    const { id, key } = await license(await type({ max_seats: 3 }));
    for (const fingerprint of ['machine-1', 'machine-2', 'machine-3']) await client('activate', { key, fingerprint });
    const headers = { 'Idempotency-Key': 'edit-1' };
    const first = await admin('updateLicense', { id }, { max_seats: 1 }, headers);
    expect(first.body).toMatchObject({ seats: { used: 3, max: 1 } });
    await client('deactivate', { key, fingerprint: 'machine-1' });
    expect((await admin('updateLicense', { id }, { max_seats: 1 }, headers)).body).toEqual(first.body);
    expect(code(await admin('updateLicense', { id }, { max_seats: 2 }, headers))).toEqual([409, 'idempotency_mismatch']);
    expect((await client('activate', { key, fingerprint: 'machine-2' })).status).toBe(200);
    expect(code(await client('activate', { key, fingerprint: 'machine-4' }))).toEqual([429, 'no_seats']);
    expect((await events(id)).filter((event) => event === 'license.updated')).toHaveLength(1);
  });
});

test('an edit that changes nothing is remembered under its Idempotency-Key as well: a repetition has no effect', async () => {
  const { admin, type, license, events } = await openShop();
  const { id } = await license(await type({ max_seats: 3 }));
  const headers = { 'Idempotency-Key': 'edit-1' };
  const first = await admin('updateLicense', { id }, { max_seats: null }, headers);
  expect(first).toMatchObject({ status: 200, body: { seats: { used: 0, max: 3 } } });
  await admin('updateLicense', { id }, { max_seats: 1 });
  expect((await admin('updateLicense', { id }, { max_seats: null }, headers)).body).toEqual(first.body);
  expect(code(await admin('updateLicense', { id }, { max_seats: 2 }, headers))).toEqual([409, 'idempotency_mismatch']);
  expect((await admin('getLicense', { id })).body['seats']).toEqual({ used: 0, max: 1 });
  expect(await events(id)).toEqual(['license.created', 'license.updated']);
});

test('an operator can free the seat of one device in every status; a request for a device that is not bound is no error', async () => {
  const { admin, type, license, client, events } = await openShop();
  const { id, key } = await license(await type());
  await client('activate', { key, fingerprint: 'a/b?c=d#e%20f' });
  await admin('revokeLicense', { id });
  expect((await admin('deleteActivation', { id, fingerprint: 'a/b?c=d#e%20f' })).body).toEqual({ freed: true });
  expect((await admin('deleteActivation', { id, fingerprint: 'a/b?c=d#e%20f' })).body).toEqual({ freed: false });
  expect(code(await admin('deleteActivation', { id, fingerprint: 'short' }))).toEqual([422, 'invalid_request']);
  expect(code(await admin('deleteActivation', { id: 999_999_999, fingerprint: 'machine-1' }))).toEqual([404, 'not_found']);
  expect(await events(id)).toEqual(['license.created', 'license.activated', 'license.revoked', 'license.deactivated']);
});

describe('a device of another system', () => {
  const add = (admin: Shop['admin'], id: number, body: object) => admin('createActivation', { id }, body);
  const ACTIVATED = '2020-01-01T00:00:00.000Z';

  test('gets a seat once: its app then activates and validates as before, and its activation keeps its time', async () => {
    const { admin, type, license, client, validate, events } = await openShop();
    const { id, key } = await license(await type({ max_seats: 1, new_devices_per_week: 1 }));
    const device = { fingerprint: 'ABCDEF01', name: 'Studio', platform: 'mac', activated_at: ACTIVATED };
    const added = await add(admin, id, device);
    expect(added).toMatchObject({ status: 200, body: { ...device, fingerprint: 'abcdef01', last_seen_on: '2020-01-01' } });
    expect((await add(admin, id, { fingerprint: 'abcdef01' })).body).toEqual(added.body);
    expect((await validate(key, 'abcdef01')).status).toBe(200);
    expect((await client('activate', { key, fingerprint: 'abcdef01' })).body).toMatchObject({ device: { activated_at: ACTIVATED } });
    expect(code(await add(admin, id, { fingerprint: 'abcdef02' }))).toEqual([429, 'no_seats']);
    expect(await events(id)).toEqual(['license.created', 'license.activated']);
    // It did not count as one of the week's new devices.
    await admin('deleteActivation', { id, fingerprint: 'abcdef01' });
    expect((await client('activate', { key, fingerprint: 'abcdef02' })).status).toBe(200);
  });

  test('starts a term that starts with the first activation at the time of its own activation', async () => {
    const { admin, type, license } = await openShop();
    const { id } = await license(await type({ kind: 'subscription', duration_days: 10_000, starts: 'activation' }));
    await add(admin, id, { fingerprint: 'machine-1', activated_at: ACTIVATED });
    const { expires_at } = (await admin('getLicense', { id })).body;
    expect(expires_at).toBe(iso(Date.parse(ACTIVATED) + 10_000 * DAY));
  });

  test('is added to a license whose expiry has passed, but not to a license that is expired, suspended or revoked', async () => {
    const { admin, type, license, client } = await openShop();
    const typeId = await type();
    const { id, key } = await license(typeId, { created_at: ACTIVATED, expires_at: '2021-01-01T00:00:00Z' });
    expect((await add(admin, id, { fingerprint: 'machine-1' })).status).toBe(200);
    expect(code(await client('activate', { key, fingerprint: 'machine-1' }))).toEqual([403, 'license_expired']);
    expect(code(await add(admin, id, { fingerprint: 'machine-2' }))).toEqual([403, 'license_expired']);
    for (const [change, refusal] of [
      ['suspendLicense', 'license_suspended'],
      ['revokeLicense', 'license_revoked'],
    ] as const) {
      const other = await license(typeId);
      await admin(change, { id: other.id });
      expect(code(await add(admin, other.id, { fingerprint: 'machine-1' }))).toEqual([403, refusal]);
    }
    const tomorrow = '2999-01-01T00:00:00Z';
    expect(code(await add(admin, id, { fingerprint: 'machine-3', activated_at: tomorrow }))).toEqual([422, 'invalid_request']);
    expect(code(await add(admin, 999_999_999, { fingerprint: 'machine-1' }))).toEqual([404, 'not_found']);
  });
});

// Without this verdict, a device whose license was lost in a restore would wait for the license forever.
test('a device with a token of a lost license gets a verdict; nobody else learns whether a license existed', async () => {
  const { type, license, client, validate, service, productId } = await openShop();
  const typeId = await type();
  const [lost, kept, other] = [await license(typeId), await license(typeId), await openShop()];
  const tokenOf = async ({ key }: { key: string }): Promise<string> =>
    String((await client('activate', { key, fingerprint: 'machine-1' })).body['offline_token']);
  const [token, keptToken] = [await tokenOf(lost), await tokenOf(kept)];
  const foreign = await other.license(await other.type());
  const foreignToken = String((await other.client('activate', { key: foreign.key, fingerprint: 'machine-1' })).body['offline_token']);
  for (const Key of [licenseKey(productId, lookupKey(lost.key)!), licenseIdKey(lost.id)])
    await service.client.send(new DeleteCommand({ TableName: service.app.table.name, Key }));

  // A token counts although it has expired.
  service.advance(8 * DAY);
  const found = await validate(lost.key, 'machine-1', token);
  expect(found.body).toEqual({ valid: false, status: 'invalid' });
  expect(verdictOf(found.headers)).toMatchObject({ sub: String(lost.id), status: 'unknown', fingerprint: 'machine-1' });

  const [head, claims, signature] = token.split('.');
  const forged = [head, claims, signature!.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))].join('.');
  for (const [fingerprint, sent] of [
    ['machine-1', undefined],
    ['machine-1', 'no token'],
    ['machine-1', forged],
    ['machine-2', token],
    ['machine-1', keptToken],
    ['machine-1', foreignToken],
  ] as const)
    expect(verdictOf((await validate(lost.key, fingerprint, sent)).headers)).toBeUndefined();
});

// A client gives a leased seat no grace period, and knows from the token that the seat is leased.
test('a token says when the lease of its seat ends', async () => {
  const { type, license, client } = await openShop();
  const { key } = await license(await type({ kind: 'floating', lease_minutes: 60 }));
  const { device, offline_token: token } = (await client('activate', { key, fingerprint: 'machine-1' })).body;
  expect(claimsOf(token)).toMatchObject({
    lease_expires_at: (device as { readonly lease_expires_at?: string } | undefined)?.lease_expires_at,
  });
});

test('a reissued license continues under a new key; the old key is refused and shows nothing', async () => {
  const { admin, type, license, client, validate, service, productId } = await openShop();
  const { id, key } = await license(await type(), { customer_email: 'ada@example.com', metadata: { long: 'y'.repeat(500) } });
  await client('activate', { key, fingerprint: 'machine-1' });
  const headers = { 'Idempotency-Key': 'leak-1' };
  const reissued = await admin('reissueLicense', { id }, undefined, headers);
  expect(reissued.body).toMatchObject({ id, status: 'active', seats: { used: 0 }, activations: [], metadata: { long: 'y'.repeat(500) } });
  const fresh = String(reissued.body['key']);
  expect(fresh).not.toBe(key);
  expect((await admin('reissueLicense', { id }, undefined, headers)).body).toEqual(reissued.body);

  const refused = await client('activate', { key, fingerprint: 'machine-1' });
  expect(code(refused)).toEqual([403, 'license_revoked']);
  const dead = await validate(key, 'machine-1');
  expect(dead.body).toEqual({ valid: false, status: 'revoked' });
  for (const { headers: sent } of [refused, dead])
    expect(verdictOf(sent)).toMatchObject({ sub: String(id), status: 'reissued', fingerprint: 'machine-1' });
  expect((await client('deactivate', { key, fingerprint: 'machine-1' })).body).toEqual({ freed: false });

  expect((await client('activate', { key: fresh, fingerprint: 'machine-1' })).status).toBe(200);
  expect((await admin('getLicense', { id })).body).toMatchObject({ key: fresh, seats: { used: 1 } });
  const listed = await service.call('listLicenses', { params: { id: productId } });
  expect((listed.body as unknown as { key: string; activations: object[] }[]).map((one) => [one.key, one.activations.length])).toEqual([
    [fresh, 1],
  ]);
  const events = await eventsOf(id);
  expect(events.map(({ event }) => event)).toEqual(['license.created', 'license.activated', 'license.reissued', 'license.activated']);
  expect(events[2]!.payload).toMatchObject({ data: { previous_key: key, license: { key: fresh, sequence: 3 } } });
  // The old key stays reserved and can't be issued again.
  expect(
    code(
      await service.call('createLicense', {
        params: { id: productId },
        body: { license_type_id: (listed.body as unknown as { license_type: { id: number } }[])[0]?.license_type.id, key },
      }),
    ),
  ).toEqual([409, 'duplicate']);
});

describe('a floating license', () => {
  const LEASE = 10;
  const floating = { kind: 'floating', max_seats: 2, lease_minutes: LEASE };
  const leaseOf = ({ body }: CallResult): number =>
    Date.parse(String((body['device'] as unknown as { lease_expires_at: string }).lease_expires_at));

  test('leases a seat; a check renews the lease after a third of it, and the token does not outlive it', async () => {
    const { service, type, license, client, validate, events } = await openShop();
    const { id, key } = await license(await type(floating));
    const activation = await client('activate', { key, fingerprint: 'machine-1' });
    const end = leaseOf(activation);
    expect(end).toBe(service.now() + LEASE * MINUTE);
    const exp = (result: CallResult): number =>
      (JSON.parse(Buffer.from(String(result.body['offline_token']).split('.')[1] ?? '', 'base64url').toString()) as { exp: number }).exp;
    expect(exp(activation)).toBe(Math.floor(end / 1000));
    service.advance(3 * MINUTE);
    expect(leaseOf(await validate(key, 'machine-1'))).toBe(end);
    service.advance(MINUTE);
    expect(leaseOf(await validate(key, 'machine-1'))).toBe(service.now() + LEASE * MINUTE);
    // If no other device took the seat, the device continues to use it after the end of the lease.
    service.advance(60 * MINUTE);
    expect(leaseOf(await validate(key, 'machine-1'))).toBe(service.now() + LEASE * MINUTE);
    expect(await events(id)).toEqual(['license.created', 'license.activated']);
  });

  test('gives a seat with an ended lease to a device that needs it; the lease that ended first is used first', async () => {
    const { service, type, license, client, validate } = await openShop();
    const { id, key } = await license(await type(floating));
    await client('activate', { key, fingerprint: 'machine-1' });
    service.advance(MINUTE);
    await client('activate', { key, fingerprint: 'machine-2' });
    expect(code(await client('activate', { key, fingerprint: 'machine-3' }))).toEqual([429, 'no_seats']);
    service.advance((LEASE + 1) * MINUTE);
    expect((await client('activate', { key, fingerprint: 'machine-3' })).body['seats']).toEqual({ used: 2, max: 2 });
    expect((await validate(key, 'machine-1')).body).not.toHaveProperty('device');
    expect((await validate(key, 'machine-2')).body).toHaveProperty('device');
    const events = await eventsOf(id);
    expect(events.map(({ event }) => event)).toEqual([
      'license.created',
      'license.activated',
      'license.activated',
      'license.seats_exhausted',
      'license.deactivated',
      'license.activated',
    ]);
    expect(events[4]!.payload).toMatchObject({ data: { reason: 'lease_ended', device: { fingerprint: 'machine-1' } } });
  });
});

describe('a trial without a key', () => {
  const SELF_SERVICE = { kind: 'trial', duration_days: 14, self_service: true, max_seats: 1 };
  const shopWithTrials = async (): Promise<{ shop: Shop; start: (place: number, customer_email?: string) => Promise<CallResult> }> => {
    const shop = await openShop();
    await shop.type(SELF_SERVICE);
    return { shop, start: (place, customer_email) => shop.client('startTrial', { fingerprint: `machine-${place}`, customer_email }) };
  };
  const times = <Result>(count: number, work: (place: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: count }, (_, place) => work(place)));

  test('starts at most five times a day with one e-mail address of a product, even if many devices send requests at once', async () => {
    const { shop, start } = await shopWithTrials();
    const results = await times(40, (place) => start(place, place % 2 === 0 ? 'ada@example.com' : 'ADA@Example.com'));
    expect(results.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(new Set(results.filter(({ status }) => status !== 201).map((result) => String(code(result))))).toEqual(
      new Set(['429,rate_limited']),
    );
    expect((await shop.admin('listLicenses', { id: shop.productId })).body).toHaveLength(5);

    // The daily limit of trials applies to each address of each product. It doesn't affect a trial without an address, or a device that
    // already has its trial.
    const [first] = results.flatMap(({ status }, place) => (status === 201 ? [place] : []));
    expect((await start(first ?? -1, 'ada@example.com')).status).toBe(200);
    expect((await start(100, 'grace@example.com')).status).toBe(201);
    for (let place = 101; place < 108; place += 1) expect((await start(place)).status).toBe(201);
    expect((await (await shopWithTrials()).start(0, 'ada@example.com')).status).toBe(201);
  });

  test('is counted over the last 24 hours, not by calendar day', async () => {
    const { shop, start } = await shopWithTrials();
    const tries = (from: number, count: number): Promise<number[]> =>
      times(count, (place) => start(from + place, 'ada@example.com').then(({ status }) => status));
    expect(await tries(0, 3)).toEqual([201, 201, 201]);
    shop.service.advance(DAY / 2);
    expect((await tries(10, 4)).sort()).toEqual([201, 201, 429, 429]);
    shop.service.advance(DAY / 2 - 1000);
    expect(await tries(20, 1)).toEqual([429]);
    shop.service.advance(1000);
    expect((await tries(30, 5)).sort()).toEqual([201, 201, 201, 429, 429]);
  });

  test('starts at most `trials_per_hour` times for all devices of a product, counted from the first trial', async () => {
    const { shop, start } = await shopWithTrials();
    const { service, admin, productId: id } = shop;
    expect((await admin('getProduct', { id })).body).toMatchObject({ trials_per_hour: 500 });
    for (const trials_per_hour of [0, 100_001, 1.5, null])
      expect(code(await admin('updateProduct', { id }, { trials_per_hour }))).toEqual([422, 'invalid_request']);
    expect((await admin('updateProduct', { id }, { trials_per_hour: 3 })).body).toMatchObject({ trials_per_hour: 3 });
    service.advance(60_000);
    const statuses = async (from: number, count: number): Promise<number[]> =>
      (await times(count, (place) => start(from + place).then(({ status }) => status))).sort();
    expect(await statuses(0, 10)).toEqual([201, 201, 201, 429, 429, 429, 429, 429, 429, 429]);
    expect(code(await start(10))).toEqual([429, 'rate_limited']);
    // A device that already has its trial, and another product, are not affected.
    expect((await statuses(0, 10)).filter((status) => status === 200)).toHaveLength(3);
    expect((await (await shopWithTrials()).start(0)).status).toBe(201);
    service.advance(60 * MINUTE - 1000);
    expect(await statuses(20, 1)).toEqual([429]);
    service.advance(1000);
    expect(await statuses(30, 4)).toEqual([201, 201, 201, 429]);
  });

  test('counts the device that started it as a new device of the trial license', async () => {
    const { admin, type, client } = await openShop();
    await type({ kind: 'trial', duration_days: 14, self_service: true, max_seats: 0, new_devices_per_week: 1 });
    const { id, key } = (await client('startTrial', { fingerprint: 'machine-1' })).body['license'] as unknown as {
      id: number;
      key: string;
    };
    expect((await admin('getLicense', { id })).body['new_devices']).toMatchObject({ count: 1 });
    expect(code(await client('activate', { key, fingerprint: 'machine-2' }))).toEqual([429, 'too_many_devices']);
    await client('deactivate', { key, fingerprint: 'machine-1' });
    expect((await client('startTrial', { fingerprint: 'machine-1' })).status).toBe(200);
  });

  test('is given only once to a device, forever', async () => {
    const { service, productId, admin, type, client, events } = await openShop();
    expect(code(await client('startTrial', { fingerprint: 'machine-1' }))).toEqual([404, 'not_found']);
    const typeId = await type({ kind: 'trial', duration_days: 14, self_service: true, max_seats: 1 });
    expect(
      code(
        await service.call('createLicenseType', {
          params: { id: productId },
          body: { name: 'Other', kind: 'trial', duration_days: 1, self_service: true },
        }),
      ),
    ).toEqual([409, 'duplicate']);
    const results = await Promise.all(
      Array.from({ length: 8 }, () => client('startTrial', { fingerprint: 'machine-1', customer_email: 'ada@example.com' })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    const ids = new Set(results.map(({ body }) => (body['license'] as unknown as { id: number }).id));
    expect(ids.size).toBe(1);
    const [id = 0] = ids;
    const { key } = results[0]!.body['license'] as unknown as { key: string };
    await client('deactivate', { key, fingerprint: 'machine-1' });
    expect((await client('startTrial', { fingerprint: 'machine-1' })).body['seats']).toEqual({ used: 1, max: 1 });
    expect(await events(id)).toEqual(['license.created', 'license.activated', 'license.deactivated', 'license.activated']);
    service.advance(15 * DAY);
    expect(code(await client('startTrial', { fingerprint: 'machine-1' }))).toEqual([403, 'license_expired']);
    await admin('updateLicenseType', { id: typeId }, { archived: true });
    expect(code(await client('startTrial', { fingerprint: 'machine-2' }))).toEqual([404, 'not_found']);
  });
});

test('an existing key is imported unchanged, found in any spelling, and imported only once', async () => {
  const { service, productId, type, license, client } = await openShop();
  const typeId = await type({ kind: 'subscription', duration_days: 30 });
  const created_at = iso(service.now() - 10 * DAY);
  const made = await license(typeId, { key: 'Old-Shop-o0I1-77', created_at });
  expect(made).toMatchObject({ key: 'Old-Shop-o0I1-77', created_at, expires_at: iso(Date.parse(created_at) + 30 * DAY) });
  expect((await client('activate', { key: ' old shop O0i1 77 ', fingerprint: 'machine-1' })).body['license']).toMatchObject({
    key: 'Old-Shop-o0I1-77',
  });
  expect(code(await client('activate', { key: 'Old-Shop-00I1-77', fingerprint: 'machine-1' }))).toEqual([404, 'not_found']);
  expect(
    code(await service.call('createLicense', { params: { id: productId }, body: { license_type_id: typeId, key: 'OLDSHOP-O0I1-77' } })),
  ).toEqual([409, 'duplicate']);
  for (const body of [{ key: 'short-1' }, { key: '-------1' }, { created_at: iso(service.now() + DAY) }]) {
    expect(code(await service.call('createLicense', { params: { id: productId }, body: { license_type_id: typeId, ...body } }))).toEqual([
      422,
      'invalid_request',
    ]);
  }
});

test('the limit on new devices counts each device once a week, and a reset can clear the count', async () => {
  const { service, admin, type, license, client } = await openShop();
  const { id, key } = await license(await type({ max_seats: 0, new_devices_per_week: 2 }));
  const tries = async (fingerprint: string): Promise<number> => (await client('activate', { key, fingerprint })).status;
  expect([await tries('machine-1'), await tries('machine-2'), await tries('machine-3')]).toEqual([200, 200, 429]);
  expect(code(await client('activate', { key, fingerprint: 'machine-3' }))).toEqual([429, 'too_many_devices']);
  await client('deactivate', { key, fingerprint: 'machine-1' });
  expect(await tries('machine-1')).toBe(200);
  expect((await admin('getLicense', { id })).body['new_devices']).toEqual({ count: 2, since: expect.stringMatching(/Z$/) });
  await admin('resetLicense', { id });
  expect(await tries('machine-3')).toBe(429);
  await admin('resetLicense', { id }, { new_devices: true });
  expect((await admin('getLicense', { id })).body['new_devices']).toEqual({ count: 0, since: null });
  expect(await tries('machine-3')).toBe(200);
  service.advance(8 * DAY);
  expect([await tries('machine-4'), await tries('machine-5'), await tries('machine-6')]).toEqual([200, 200, 429]);
});

test('the vendor is notified before each expiry, once, and about a full license once a day', async () => {
  const { service, admin, type, license, client, validate, events } = await openShop(14);
  const { id, key } = await license(await type({ kind: 'subscription', duration_days: 30, max_seats: 1 }));
  await client('activate', { key, fingerprint: 'machine-1' });
  service.advance(17 * DAY);
  await Promise.all([validate(key, 'machine-1'), validate(key, 'machine-1'), client('activate', { key, fingerprint: 'machine-1' })]);
  await validate(key, 'machine-2');
  await admin('renewLicense', { id });
  await validate(key, 'machine-1');
  service.advance(30 * DAY);
  await validate(key, 'machine-1');
  expect(await events(id)).toEqual(['license.created', 'license.activated', 'license.expiring', 'license.renewed', 'license.expiring']);
  for (const wait of [0, 23 * 60 * MINUTE, 2 * 60 * MINUTE]) {
    service.advance(wait);
    expect(code(await client('activate', { key, fingerprint: 'machine-2' }))).toEqual([429, 'no_seats']);
  }
  expect((await events(id)).filter((event) => event === 'license.seats_exhausted')).toHaveLength(2);
});

test("a type's changes apply to licenses that are issued from now on; its name changes everywhere", async () => {
  const { service, productId, admin, type, license } = await openShop();
  const typeId = await type({ name: 'Basic' });
  const old = await license(typeId);
  const changed = await admin(
    'updateLicenseType',
    { id: typeId },
    { name: 'Basic+', max_seats: 7, features: ['sync', 'export'], limits: { b: 2, a: 1 } },
  );
  expect(changed).toMatchObject({ status: 200, body: { name: 'Basic+', max_seats: 7, features: ['export', 'sync'], archived: false } });
  expect((await admin('getLicenseType', { id: typeId })).body).toEqual(changed.body);
  expect((await admin('getLicense', { id: old.id })).body).toMatchObject({
    license_type: { name: 'Basic+', max_seats: 2, features: [] },
    features: [],
  });
  expect((await admin('suspendLicense', { id: old.id })).body).toMatchObject({ status: 'suspended', license_type: { name: 'Basic+' } });
  expect(await license(typeId)).toMatchObject({ seats: { max: 7 }, features: ['export', 'sync'], limits: { a: 1, b: 2 } });
  expect(await admin('updateLicenseType', { id: typeId }, { limits: { a: 3 } })).toMatchObject({ status: 200, body: { limits: { a: 3 } } });
  const other = await type({ name: 'Other' });
  expect(code(await admin('updateLicenseType', { id: other }, { name: 'Basic+' }))).toEqual([409, 'duplicate']);
  expect((await admin('updateLicenseType', { id: other }, { name: 'Basic' })).status).toBe(200);
  for (const body of [{}, { kind: 'trial' }, { duration_days: 3 }, { lease_minutes: 5 }, { self_service: true }, { nmae: 'x' }]) {
    expect(code(await admin('updateLicenseType', { id: other }, body))).toEqual([422, 'invalid_request']);
  }
  await admin('updateLicenseType', { id: typeId }, { archived: true });
  expect(code(await service.call('createLicense', { params: { id: productId }, body: { license_type_id: typeId } }))).toEqual([
    422,
    'invalid_request',
  ]);
  expect(code(await admin('updateLicense', { id: old.id }, { license_type_id: typeId }))).toEqual([422, 'invalid_request']);
});
