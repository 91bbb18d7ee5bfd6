import { randomBytes } from 'node:crypto';
import { shops } from '../../bin/sell/scenarios';
import { endpoints } from '../../lambdas/contract';
import type { AuditEntryView } from '../../lambdas/contract/audit';
import { isAudited, isRepeatable, type Endpoint } from '../../lambdas/contract/endpoint';
import { licenseExample } from '../../lambdas/contract/examples';
import { updateLicense } from '../../lambdas/contract/license-operations';
import { addressHash } from '../../lambdas/domain/audit';
import type { AppParts } from '../../lambdas/runtime/app';
import { startEventHarness, type EventHarness } from '../support/event-harness';
import { countCalls, failWhere, Fuse, loseAnswers } from '../support/faults';
import { startFiles, type TestFiles } from '../support/files';
import { harnessConfig, type CallRequest } from '../support/harness';
import { captureLogs } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import { clockStart } from '../support/start';
import { sampled } from '../support/sampled';
import {
  connect,
  heldPayment,
  isOfPortal,
  newTarget,
  notificationsOf,
  NOWHERE,
  validRequest,
  type Target,
} from '../support/valid-requests';

/**
 * Tests the audit log, which an operator reads after a token has leaked, or when a buyer asks who revoked a license. Every admin write of
 * the contract must write one entry together with its change, and other requests must write no entry.
 */

captureLogs();
let table: string;
let mails: MailServer;
let store: TestFiles;
const open: EventHarness[] = [];

// Each test has its own table. The tests read the whole audit log, and the log of a shared table would grow with every test.
beforeEach(async () => {
  table = await ownTable();
});
beforeAll(async () => {
  store = await startFiles(clockStart);
  mails = await startMailServer();
});
afterAll(() => store.close());
afterAll(() => mails.close());
afterEach(() => open.splice(0).forEach((service) => service.close()));

function start(parts: Partial<AppParts> = {}): EventHarness {
  const service = startEventHarness(table, {
    config: harnessConfig(table, { webhookAllowPrivate: true, mail: { transport: 'smtp', from: 'licenses@example.com' } }),
    fetchSecret: (name) => Promise.resolve(name === 'adminToken' ? 'test-admin-token' : name === 'smtpUrl' ? mails.url : `test-${name}`),
    files: store.files,
    ...parts,
  });
  open.push(service);
  return service;
}

const BUYER = 'ada@example.com';
/** All entries of the audit log, read page by page. */
async function everyEntry(service: EventHarness, query: Readonly<Record<string, string>> = {}): Promise<AuditEntryView[]> {
  const entries: AuditEntryView[] = [];
  let cursor: string | undefined;
  do {
    const page = await service.call('listAudit', { query: { ...query, ...(cursor !== undefined && { cursor }) } });
    expect(page.status).toBe(200);
    entries.push(...(page.body as unknown as AuditEntryView[]));
    cursor = /[?&]cursor=([^&>]+)/.exec(page.headers['Link'] ?? '')?.[1];
  } while (cursor !== undefined);
  return entries;
}

/** Each call of the returned function returns the entries of the audit log that were written since the previous call. */
async function followLog(service: EventHarness): Promise<() => Promise<AuditEntryView[]>> {
  const seen = new Set<string>();
  const next = async (): Promise<AuditEntryView[]> => {
    const entries = (await everyEntry(service)).filter(({ id }) => !seen.has(id));
    for (const { id } of entries) seen.add(id);
    return entries;
  };
  await next();
  return next;
}

/** Runs `work`, and returns the new entries of the audit log. */
async function entriesOf(service: EventHarness, work: () => Promise<unknown>): Promise<AuditEntryView[]> {
  const newEntries = await followLog(service);
  await work();
  return newEntries();
}

/** Requests that are recorded every time, although they change nothing: they give the caller data or a token, or ask a processor. */
const RECORDED_EVERY_TIME = ['exportCustomer', 'mintOfflineToken', 'reconcilePayments'];
/** Requests whose immediate repetition changes nothing, because the first redelivery is still pending. */
const STILL_PENDING = ['redeliver', 'redeliverMany'];

/** A new value for the header `Idempotency-Key`. */
const unique = (): string => randomBytes(8).toString('hex');
const actorOf = (row: Endpoint): string => (isOfPortal(row) ? 'buyer' : 'deployment');
const writes = endpoints.filter(isAudited).map((row): [string, Endpoint] => [row.name, row]);

describe.each(sampled(writes))('%s', (_name, row) => {
  let target: Target;
  beforeEach(async () => {
    target = await newTarget(start(), { mails });
  });

  // The table's response is lost and the service repeats the call to the table. This must cause neither a second change nor a second entry.
  // A caller may also repeat a request. If the repetition changes nothing, it must cause no entry either.
  test('leaves one entry with the caller and the change, even if a response of the table is lost; a refused or repeated request leaves none', async () => {
    const { service, product } = target;
    const unknown = {
      id: 999_999_999,
      event_id: 'f'.repeat(32),
      payment: 'f'.repeat(32),
      kid: 'f'.repeat(43),
      fingerprint: 'fingerprint-1',
      name: 'exports',
    };
    const request = await validRequest(row, target);
    const newEntries = await followLog(service);
    if (row.params) expect((await service.call(row.name, { ...request, params: unknown })).status).toBe(404);
    expect(
      (await service.call(row.name, { ...request, headers: { 'X-Svc-Admin-Token': 'wrong', 'X-Portal-Session': 'wrong' } })).status,
    ).toBe(401);
    if (row.body) expect((await service.call(row.name, { ...request, body: '[]' })).status).toBe(422);
    expect(await newEntries()).toEqual([]);
    const other = start();
    loseAnswers(other.client, 'TransactWriteItemsCommand');
    const { status, body } = await other.call(row.name, {
      ...request,
      headers: { ...request.headers, 'User-Agent': 'support-desk/2.1' },
    });
    expect({ status, body }).toEqual({ status: row.status, body });
    const shown = Array.isArray(body) ? (body as object[])[0] : body;
    const left = await newEntries();
    const [entry, ...more] = left.filter(({ actor }) => actor === actorOf(row));
    expect(more).toEqual([]);
    const product_id =
      row.name === 'createProduct'
        ? expect.any(Number)
        : row.subject === 'deployment' || row.subject === 'products'
          ? null
          : row.subject === 'product'
            ? request.params?.['id']
            : product.id;
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]{12}Z$/),
      actor: actorOf(row),
      actor_name: actorOf(row),
      action: row.name,
      product_id,
      license_id:
        row.subject === 'license' ? Number(request.params?.['id']) : row.name === 'createLicense' ? expect.any(Number) : entry?.license_id,
      target: entry?.target ?? null,
      summary: expect.stringContaining(row.summary),
      changes: entry?.changes ?? [],
      request_id: 'test-request',
      source_ip: null,
      // Buyers don't work for the vendor, so the log stores neither their e-mail address nor their user agent.
      user_agent: isOfPortal(row) ? null : 'support-desk/2.1',
    });
    if (isOfPortal(row)) expect(entry?.target).toBe(addressHash(BUYER));
    // The summary names fields as the API does: fields of a license, of the request or of the response. A part of the summary that begins
    // with a number is not a field but a count of rows.
    const fields = entry?.summary
      .slice(row.summary.length + 2)
      .split(', ')
      .filter((field) => field !== '' && !/^\d+ /.test(field));
    expect(
      fields?.filter(
        (field) => !Object.hasOwn({ ...licenseExample, ...updateLicense.body.shape, ...(request.body as object), ...shown }, field),
      ),
    ).toEqual([]);
    // The log must store no license key, no secret and no e-mail address of a buyer.
    expect(JSON.stringify(left)).not.toMatch(/example\.com|whsec_|pk_|sk_test|[0-9A-Z]{5}-[0-9A-Z]{5}/);

    if (!isRepeatable(row) && !STILL_PENDING.includes(row.name)) return;
    for (const more of [undefined, { 'Idempotency-Key': unique() }]) {
      const repeated = await service.call(row.name, { ...request, headers: { ...request.headers, ...more } });
      expect([row.status, row.repeatedStatus, 404]).toContain(repeated.status);
    }
    expect(await newEntries()).toHaveLength(RECORDED_EVERY_TIME.includes(row.name) ? 2 : 0);
  });

  test('is never carried out without its entry, even if a function dies; a repetition with the same Idempotency-Key leaves no second entry', async () => {
    const { service } = target;
    const plain = await validRequest(row, target);
    const request = row.idempotent ? { ...plain, headers: { ...plain.headers, 'Idempotency-Key': unique() } } : plain;
    const newEntries = await followLog(service);
    for (let at = 1; at < 40; at += 1) {
      const dying = start();
      new Fuse(at, 'writes').putInto(dying.client);
      const calls = countCalls(dying.client);
      const { status } = await dying.call(row.name, request);
      const own = (await newEntries()).filter(({ actor }) => actor === actorOf(row));
      expect(own.length).toBeLessThanOrEqual(1);
      if (own.length === 1) {
        expect(calls['TransactWriteItemsCommand']).toBeGreaterThanOrEqual(1);
        if (!row.idempotent) return;
        expect((await service.call(row.name, request)).status).toBe(row.status);
        return expect(await newEntries()).toEqual([]);
      }
      expect(status).toBe(500);
    }
    throw new Error('It was never carried out');
  });
});

test('a change that happens during a refused request, such as a noticed expiry, is not recorded as an action of the operator', async () => {
  const service = start();
  const { product } = await newTarget(service);
  const license = await product.license({ expires_at: new Date(service.now() + 60_000).toISOString() });
  service.advance(120_000);
  const left = await entriesOf(service, async () => {
    expect((await service.call('mintOfflineToken', { params: { id: license.id }, body: { fingerprint: 'fingerprint-1' } })).status).toBe(
      403,
    );
    expect((await service.ok<{ status: string }>('getLicense', { params: { id: license.id } })).status).toBe('expired');
  });
  expect(left).toEqual([]);
});

test('what client apps do is not in the log', async () => {
  const service = start();
  const { product, license } = await newTarget(service);
  expect(
    await entriesOf(service, async () => {
      await product.activate(license.key, 'fingerprint-1');
      await product.validate(license.key, 'fingerprint-1');
      await product.deactivate(license.key, 'fingerprint-1');
    }),
  ).toEqual([]);
});

test('the summary names the changed fields by their names in the API', async () => {
  const service = start();
  const target = await newTarget(service);
  const { product, license } = target;
  const connection = await connect(target);
  const summary = async (name: string, request: CallRequest): Promise<string | undefined> =>
    (await entriesOf(service, () => service.ok(name, request)))[0]?.summary;
  const params = { id: license.id };
  expect(
    await summary('updateLicense', { params, body: { customer_email: 'grace@example.com', metadata: { note: 'moved' }, max_seats: 100 } }),
  ).toBe('Change a license: customer_email, metadata');
  const { id: otherType } = await service.ok<{ id: number }>('createLicenseType', {
    params: { id: product.id },
    body: { name: 'Pro', kind: 'lifetime', max_seats: 7 },
  });
  expect(await summary('updateLicense', { params, body: { max_seats: 5, features: ['sync'] } })).toBe(
    'Change a license: features, max_seats',
  );
  // The audit entry doesn't name seats and features here. Their values come from the license's new type, and the fields of the license
  // itself don't change.
  expect(await summary('updateLicense', { params, body: { license_type_id: otherType } })).toBe('Change a license: license_type_id');
  await product.activate(license.key, 'fingerprint-1');
  expect(await summary('resetLicense', { params })).toBe('Free every seat of a license: seats');
  expect(await summary('revokeLicense', { params })).toBe('Revoke a license: status, revoked_at');
  expect(await summary('reissueLicense', { params: { id: (await product.license()).id } })).toBe('Give a license a new key: key');
  expect(await summary('rotateApiKey', { params: { id: product.id } })).toBe("Rotate the product's API key: api_key");
  expect(await summary('rotateWebhookSecret', { params: { id: product.id } })).toBe("Rotate the product's webhook secret: secret");
  expect(await summary('setWebhook', { params: { id: product.id }, body: { url: `${NOWHERE}other`, events: [] } })).toBe(
    "Set or clear the product's webhook: url, events",
  );
  expect(await summary('setMailSettings', { params: { id: product.id }, body: { subject: 'Your key' } })).toBe(
    "Change the product's mail settings: subject",
  );
  expect(
    await summary('updatePaymentConnection', {
      params: { id: connection.id },
      body: { signing_secret: 'another-signing-secret', grace_days: 3 },
    }),
  ).toBe('Change a payment connection: signing_secret');
});

test('mail settings that are sent back unchanged make no entry, with and without reminders', async () => {
  const service = start();
  const { product } = await newTarget(service);
  const params = { id: product.id };
  for (const reminders of [[], [{ event: 'expiring', days: 7 }], []]) {
    const settings = await service.ok<object>('setMailSettings', { params, body: { language: 'en', reminders } });
    expect(await entriesOf(service, () => service.ok('setMailSettings', { params, body: settings }))).toEqual([]);
  }
});

test('a very long User-Agent is cut, so that an entry costs no more than an entry with a short User-Agent', async () => {
  const service = start();
  const { license } = await newTarget(service);
  const [entry] = await entriesOf(service, () =>
    service.ok('revokeLicense', { params: { id: license.id }, headers: { 'User-Agent': 'x'.repeat(5000) } }),
  );
  expect(entry?.user_agent).toBe('x'.repeat(300));
});

describe('payment processors', () => {
  test('changes of a license by a sale and a refund are in its log, with the processor', async () => {
    const target = await newTarget(start(), { mails });
    const { service, product } = target;
    const connection = await connect(target);
    await service.ok('updatePaymentConnection', { params: { id: connection.id }, body: { default_license_type_id: product.typeId } });
    const left = await entriesOf(service, async () => {
      for (const { headers, ...request } of notificationsOf('refund', connection, service.now())) {
        service.advance(1000);
        for (let times = 0; times < 2; times += 1)
          await service.ok('receivePayment', { ...request, headers: { ...headers, 'User-Agent': 'Stripe/1.0' } });
      }
    });
    const [revoked, created, ...more] = left;
    expect(more).toEqual([]);
    const common = {
      actor: 'processor:stripe',
      actor_name: 'Stripe',
      product_id: product.id,
      license_id: created?.license_id,
      user_agent: 'Stripe/1.0',
    };
    expect(created).toMatchObject({ ...common, action: 'createLicense', target: `license/${created?.license_id}` });
    expect(revoked).toMatchObject({ ...common, action: 'revokeLicense' });
  });

  test('the largest order still fits its transaction: one entry names all its licenses', async () => {
    const target = await newTarget(start(), { mails });
    const { service, product } = target;
    const connection = await connect(target);
    const plans = [{ ref: shops.stripe().ref.example, license_type_id: product.typeId, quantity: 'licenses' }];
    await service.ok('updatePaymentConnection', { params: { id: connection.id }, body: { plans } });
    const sell = async (quantity: number): Promise<void> => {
      for (const sale of notificationsOf('sale', connection, service.now(), quantity)) await service.ok('receivePayment', sale);
    };
    const left = await entriesOf(service, () => sell(25));
    expect(left).toHaveLength(1);
    expect(left[0]).toMatchObject({
      actor: 'processor:stripe',
      action: 'createLicense',
      license_id: null,
      summary: expect.stringMatching(/^createLicense of the licenses (\d+, ){24}\d+$/),
    });
    expect(await entriesOf(service, () => sell(10))).toHaveLength(10);
  });

  test('when an operator processes a held sale, the log names the operator, and names the processor for the new license', async () => {
    const target = await newTarget(start(), { mails });
    const payment = await heldPayment(target);
    const left = await entriesOf(target.service, () => target.service.ok('processPayment', { params: { payment } }));
    expect(left.map(({ actor, action }) => `${actor} ${action}`).sort()).toEqual([
      'deployment processPayment',
      'processor:stripe createLicense',
    ]);
    expect(new Set(left.map(({ license_id }) => license_id)).size).toBe(1);
  });
});

describe('the list', () => {
  test('of everything, of a product and of a license starts with the newest entry, and its pages neither repeat nor miss an entry', async () => {
    const service = start();
    const { product, license } = await newTarget(service);
    const other = await newTarget(service);
    for (let times = 0; times < 6; times += 1) {
      service.advance(1000);
      await service.ok('updateLicense', { params: { id: license.id }, body: { max_seats: times + 1 } });
      await service.ok('resetLicense', { params: { id: other.license.id } });
    }
    const all = await everyEntry(service);
    expect(all.map(({ at }) => at)).toEqual([...all.map(({ at }) => at)].sort().reverse());
    for (const [query, matches] of [
      [{}, () => true],
      [{ product_id: String(product.id) }, (entry: AuditEntryView) => entry.product_id === product.id],
      [{ license_id: String(license.id) }, (entry: AuditEntryView) => entry.license_id === license.id],
      [{ license_id: String(license.id), product_id: String(other.product.id) }, () => false],
      [{ actor: 'processor:stripe' }, ({ actor }: AuditEntryView) => actor === 'processor:stripe'],
      [{ product_id: String(product.id), actor: 'deployment' }, (entry: AuditEntryView) => entry.product_id === product.id],
      [{ product_id: '999999999' }, () => false],
    ] as const) {
      const expected = all.filter(matches);
      for (const limit of ['1', '4', '1000']) expect(await everyEntry(service, { ...query, limit })).toEqual(expected);
    }
    expect((await everyEntry(service, { license_id: String(license.id) })).map(({ action }) => action)).toEqual([
      ...Array<string>(6).fill('updateLicense'),
      'createLicense',
    ]);
  });

  test("shows the license's current owner, and old and new values; it can be filtered by operation and by days", async () => {
    const service = start();
    const { license } = await newTarget(service);
    service.advance(60_000);
    const from = new Date(service.now()).toISOString();
    await service.ok('updateLicense', { params: { id: license.id }, body: { max_seats: 12, metadata: { name: 'Grace' } } });
    service.advance(60_000);
    const to = new Date(service.now()).toISOString();
    await service.ok('revokeLicense', { params: { id: license.id } });
    const [revoked, updated, ...others] = await everyEntry(service);
    expect((await everyEntry(service, { include: 'licenses' }))[0]).toEqual({
      ...revoked,
      license_key: license.key,
      customer_email: BUYER,
    });
    expect(revoked).not.toHaveProperty('customer_email');
    expect(revoked?.changes).toEqual([{ field: 'status', before: 'active', after: 'revoked' }]);
    // No entry contains values of metadata, because they may contain the buyer's name.
    expect(updated?.changes).toEqual([{ field: 'max_seats', before: expect.any(String), after: '12' }]);
    expect(JSON.stringify(updated)).not.toContain('Grace');
    for (const [query, expected] of [
      [{ action: 'revokeLicense' }, [revoked]],
      [{ created_after: from, created_before: to }, [updated]],
      [{ created_after: to }, [revoked]],
      [{ created_before: from }, others],
      [{ created_after: to, created_before: from }, []],
      [{ license_id: String(license.id), created_after: from, action: 'updateLicense' }, [updated]],
    ] as const)
      for (const limit of ['1', '1000']) expect(await everyEntry(service, { ...query, limit })).toEqual(expected);

    await service.ok('eraseCustomer', { body: { customer_email: BUYER } });
    expect(JSON.stringify(await everyEntry(service, { include: 'licenses' }))).not.toContain(BUYER);
  });

  test.each<Readonly<Record<string, string>>>([
    { created_after: 'yesterday' },
    { action: '' },
    { limit: '0' },
    { limit: '1001' },
    { cursor: 'x' },
    { product_id: '0' },
    { license_id: 'x' },
    { actor: '' },
  ])('refuses %j', async (query) => expect((await start().call('listAudit', { query })).status).toBe(422));

  test('reads only the entries of a product or a license, no matter how many other entries there are', async () => {
    const service = start();
    const { product, license } = await newTarget(service);
    const other = await newTarget(service);
    for (let times = 0; times < 12; times += 1) await service.ok('resetLicense', { params: { id: other.license.id } });
    const reader = start();
    const calls = countCalls(reader.client);
    await reader.ok('listAudit', { query: { product_id: String(product.id), limit: '10' } });
    await reader.ok('listAudit', { query: { license_id: String(license.id), limit: '10' } });
    // The first query reads the keys of the license's entries from the index, and the batch reads the entries.
    expect(calls).toEqual({ QueryCommand: 2, BatchGetItemCommand: 1 });
    await reader.ok('listAudit', { query: { license_id: String(license.id), limit: '10', include: 'licenses' } });
    // The additional reads find the license key by the license's id.
    expect(calls).toEqual({ QueryCommand: 3, BatchGetItemCommand: 4 });
  });

  test('fails instead of leaving entries out when the table fails', async () => {
    const service = start();
    failWhere(service.client, (command) => command === 'QueryCommand');
    expect((await service.call('listAudit', {})).status).toBe(500);
  });
});
