import { newOrder } from '../../bin/sell/shop';
import { shops, stepsOf } from '../../bin/sell/scenarios';
import { endpoints } from '../../lambdas/contract';
import type { AuditEntryView } from '../../lambdas/contract/audit';
import { isAudited, type Endpoint } from '../../lambdas/contract/endpoint';
import { licenseExample } from '../../lambdas/contract/examples';
import { updateLicense } from '../../lambdas/contract/license-operations';
import { addressHash } from '../../lambdas/domain/audit';
import type { AppParts } from '../../lambdas/runtime/app';
import { suppress } from '../../lambdas/store/suppressions';
import { shopOf } from '../support/counter';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { countCalls, failWhere, Fuse, loseAnswers } from '../support/faults';
import { startFiles, type TestFiles } from '../support/files';
import { harnessConfig, type CallRequest, type CallResult } from '../support/harness';
import { captureLogs } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import { isOfPortal, portalRequest, toCodeMail } from '../support/portal';
import { clockStart } from '../support/start';
import { declare, someVersion, upload, type Upload } from '../support/releases';
import { sampled } from '../support/sampled';

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
const SIGNING_SECRET = 'whsec_c3RyaXBlLXNlY3JldC1mb3ItdGVzdHM=';
/** A URL with a closed port, so that deliveries to it fail at once. */
const NOWHERE = 'http://127.0.0.1:9/';
let count = 0;
const unique = (): string => `audit-${process.pid}-${(count += 1)}`;

/** A product, and the license and the payment connection whose ids are in the paths of requests. */
interface Target {
  readonly service: EventHarness;
  readonly product: Product;
  readonly license: { readonly id: number; readonly key: string };
  /** The payment connection, which is created by the first call, because most writes need none. */
  connection(): Promise<Connection>;
}

interface Connection {
  readonly id: number;
  readonly token: string;
}

async function newTarget(service: EventHarness): Promise<Target> {
  const product = await service.newProduct();
  const license = await product.license({ customer_email: BUYER });
  const connect = async (): Promise<Connection> => {
    const body = { processor: 'stripe', signing_secret: SIGNING_SECRET, api_key: 'sk_test' };
    const { id, url } = await service.ok<{ id: number; url: string }>('createPaymentConnection', { params: { id: product.id }, body });
    return { id, token: url.split('/').pop() ?? '' };
  };
  let connection: Promise<Connection> | undefined;
  return { service, product, license, connection: () => (connection ??= connect()) };
}

/** Sends the notification of a sale, like a payment processor. If no plan names the sold item, the service holds the sale. */
async function sell({ service, connection }: Target, quantity = 1): Promise<CallResult> {
  const { token } = await connection();
  const shop = shopOf('stripe');
  const order = newOrder({ email: BUYER, ref: shop.ref.example, quantity, recurring: false, test: false }, service.now());
  let last: CallResult | undefined;
  for (const message of stepsOf('sale', shop, order).flatMap(({ messages }) => messages)) {
    const headers = { 'Content-Type': message.contentType, ...shop.sign(message, SIGNING_SECRET, service.now()) };
    last = await service.call('receivePayment', { params: { payment: token }, body: message.body, headers });
  }
  return last!;
}

const heldPayment = async (target: Target): Promise<string> => {
  await sell(target);
  await target.service.ok('updatePaymentConnection', {
    params: { id: (await target.connection()).id },
    body: { default_license_type_id: target.product.typeId },
  });
  const [payment] = await target.service.ok<{ id: string }[]>('listPayments', {
    params: { id: target.product.id },
    query: { status: 'held' },
  });
  return payment?.id ?? '';
};
/** Creates an event that is recorded as skipped, because its product has no webhook. */
const skippedEvent = async ({ service, product }: Target): Promise<string> => {
  await service.recover();
  const [event] = await product.deliveries({ status: 'skipped' });
  return event?.id ?? '';
};
const nextKid = async ({ service, product }: Target): Promise<string> =>
  (await service.ok<{ kid: string }>('createSigningKey', { params: { id: product.id } })).kid;

/** Creates a draft with an uploaded file. */
async function draft({ service, product }: Target): Promise<number> {
  const { id } = await service.ok<{ id: number }>('createRelease', { params: { id: product.id }, body: { version: someVersion() } });
  const bytes = Buffer.from('the bytes of an app');
  const artifact = await service.ok<{ upload: Upload }>('createArtifact', { params: { id }, body: declare(bytes) });
  expect((await upload(artifact.upload, bytes)).status).toBe(200);
  return id;
}
async function published(target: Target): Promise<number> {
  const id = await draft(target);
  await target.service.ok('publishRelease', { params: { id } });
  return id;
}

/** Creates a license of named people, and returns its id. */
async function team({ service, product }: Target): Promise<number> {
  const body = { name: 'Team', kind: 'lifetime', binding: 'user' };
  const type = await service.ok<{ id: number }>('createLicenseType', { params: { id: product.id }, body });
  return (await product.license({ license_type_id: type.id })).id;
}

/**
 * Creates the rows that a write needs to succeed. Each preparation returns the parts of the request that differ from the example in the
 * contract.
 */
const preparations: Readonly<Record<string, (target: Target) => Promise<CallRequest>>> = {
  reinstateLicense: async ({ service, license }) => (await service.ok('suspendLicense', { params: { id: license.id } }), {}),
  eraseCustomer: async ({ service }) => (await service.recover(), { body: { customer_email: BUYER } }),
  renewLicense: async () => ({ body: { days: 30 } }),
  renewUpdates: async ({ service, license }) => (
    await service.ok('updateLicense', { params: { id: license.id }, body: { updates_until: '2099-01-01T00:00:00Z' } }), {}
  ),
  deleteActivation: async ({ product, license }) => (
    await product.activate(license.key, 'fingerprint-1'), { params: { id: license.id, fingerprint: 'fingerprint-1' } }
  ),
  correctMeter: async ({ service, license }) => {
    const meters = [{ name: 'exports', included: 10, period: 'none' }];
    await service.ok('updateLicense', { params: { id: license.id }, body: { meters } });
    return { params: { id: license.id, name: 'exports' }, body: { add: 1 } };
  },
  updateLicense: async () => ({ body: { max_seats: 10, customer_email: 'grace@example.com' } }),
  updateLicenseType: async () => ({ body: { max_seats: 7 } }),
  createPortalLink: async ({ service, product }) => (
    await service.ok('setPortal', { params: { id: product.id }, body: { enabled: true } }), { body: { customer_email: BUYER } }
  ),
  resumeMail: async ({ service, product }) => (
    await suppress(service.app.table, product.id, BUYER, { at: service.now(), type: 'permanent', reason: 'General 5.1.1' }),
    { body: { customer_email: BUYER } }
  ),
  createPaymentConnection: async () => ({ body: { processor: 'paddle' } }),
  setWebhook: async () => ({ body: { url: NOWHERE } }),
  testWebhook: async ({ product }) => (await product.setWebhook(NOWHERE), {}),
  redeliver: async (target) => ({ params: { event_id: await skippedEvent(target) } }),
  redeliverMany: async (target) => (await skippedEvent(target), { body: { status: 'skipped' } }),
  processPayment: async (target) => ({ params: { payment: await heldPayment(target) } }),
  processPayments: async (target) => (await heldPayment(target), {}),
  activateSigningKey: async (target) => ({ params: { id: target.product.id, kid: await nextKid(target) } }),
  revokeToken: async ({ service }) => ({
    params: { id: (await service.ok<{ id: number }>('createToken', { body: { name: 'to be revoked', scopes: ['read'] } })).id },
  }),
  updateRelease: async (target) => ({ params: { id: await draft(target) } }),
  deleteRelease: async (target) => ({ params: { id: await draft(target) } }),
  createArtifact: async (target) => ({ params: { id: await draft(target) } }),
  deleteArtifact: async (target) => ({ params: { id: await draft(target), filename: 'app-x64.zip' } }),
  publishRelease: async (target) => ({ params: { id: await draft(target) } }),
  yankRelease: async (target) => ({ params: { id: await published(target) } }),
  unyankRelease: async (target) => {
    const id = await published(target);
    await target.service.ok('yankRelease', { params: { id } });
    return { params: { id } };
  },
  deleteNote: async ({ service, license: { id } }) => ({
    params: { id, note: (await service.ok<{ id: string }>('createNote', { params: { id }, body: { text: 'Called' } })).id },
  }),
  putMember: async (target) => ({ params: { id: await team(target) } }),
  removeMember: async (target) => {
    const id = await team(target);
    const member = await target.service.ok<{ id: string }>('putMember', { params: { id }, body: { email: 'grace@example.com' } });
    return { params: { id, member_id: member.id } };
  },
  deleteSigningKey: async (target) => ({ params: { id: target.product.id, kid: await nextKid(target) } }),
  endPreviousApiKey: async ({ service, product }) => (
    await service.ok('rotateApiKey', { params: { id: product.id }, body: { overlap_hours: 24 } }), {}
  ),
};

/** The code that was mailed to a buyer's new e-mail address. */
async function mailedCode({ service, product }: Target, request: CallRequest): Promise<string> {
  const { email } = request.body as { email: string };
  await service.ok('changePortalEmail', { ...request, params: { slug: product.slug }, body: { email } });
  await service.run();
  const mail = mails.inbox.findLast(({ to }) => to.includes(email));
  return mail ? toCodeMail(mail).code : '';
}

/** A valid request of a buyer for a route of the portal. */
async function buyersRequest(row: Endpoint, target: Target): Promise<CallRequest> {
  const { service, product, license } = target;
  await product.activate(license.key, 'fingerprint-1');
  const request = await portalRequest(row, (name, what) => service.ok(name, what), {
    product,
    license: { ...license, customer_email: BUYER },
  });
  if (row.name !== 'confirmPortalEmail') return request;
  return { ...request, body: { ...(request.body as object), code: await mailedCode(target, request) } };
}

/** A valid request for an admin write, or for a buyer's write in the portal. */
async function requestFor(row: Endpoint, target: Target): Promise<CallRequest> {
  if (isOfPortal(row)) return buyersRequest(row, target);
  const { product, license, connection } = target;
  const ids: Readonly<Record<string, number>> = {
    product: product.id,
    license: license.id,
    license_type: product.typeId,
    ...(row.subject === 'payment_connection' && { payment_connection: (await connection()).id }),
  };
  const values: Readonly<Record<string, unknown>> = { name: unique(), slug: unique(), license_type_id: product.typeId };
  const body =
    row.examples.request &&
    Object.fromEntries(Object.entries(row.examples.request).map(([name, example]) => [name, values[name] ?? example]));
  const id = ids[row.subject ?? ''];
  return { ...(id !== undefined && { params: { id } }), ...(body && { body }), ...(await preparations[row.name]?.(target)) };
}

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

const actorOf = (row: Endpoint): string => (isOfPortal(row) ? 'buyer' : 'deployment');
const writes = endpoints.filter(isAudited).map((row): [string, Endpoint] => [row.name, row]);

/** The admin writes whose repetition changes nothing, because the rows already have the requested state. */
const repeatable: readonly string[] = [
  'revokeLicense',
  'suspendLicense',
  'reinstateLicense',
  'updateLicense',
  'deleteActivation',
  'createActivation',
  'updateLicenseType',
  'updateProduct',
  'setWebhook',
  'setMailSettings',
  'activateSigningKey',
  'redeliver',
  'redeliverMany',
  'processPayment',
  'processPayments',
  'eraseCustomer',
  'endPreviousApiKey',
];

describe.each(sampled(writes))('%s', (_name, row) => {
  let target: Target;
  beforeEach(async () => {
    target = await newTarget(start());
  });

  // The table's response is lost and the service repeats the call to the table. This must cause neither a second change nor a second entry.
  // A caller may also repeat a request. If the repetition changes nothing, it must cause no entry either.
  test('writes no entry if it is refused or changes nothing, and otherwise one entry with the caller, the change and the IP address, even if a response of the table is lost', async () => {
    const { service, product } = target;
    const unknown = {
      id: 999_999_999,
      event_id: 'f'.repeat(32),
      payment: 'f'.repeat(32),
      kid: 'f'.repeat(43),
      fingerprint: 'fingerprint-1',
      name: 'exports',
    };
    const request = await requestFor(row, target);
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
      row.name === 'createProduct' ? expect.any(Number) : row.subject === 'deployment' || row.subject === 'products' ? null : product.id;
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

    if (!repeatable.includes(row.name)) return;
    for (const repetition of [request, { ...request, headers: { 'Idempotency-Key': unique() } }])
      expect((await service.call(row.name, repetition)).status).toBe(row.status);
    expect(await newEntries()).toEqual([]);
  });

  test('is not executed without its entry: if a function dies, both exist or neither, and a repetition with the same Idempotency-Key writes no second entry', async () => {
    const { service } = target;
    const plain = await requestFor(row, target);
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
  const { product, license, ...target } = await newTarget(service);
  const connection = await target.connection();
  const summary = async (name: string, request: CallRequest): Promise<string | undefined> =>
    (await entriesOf(service, () => service.ok(name, request)))[0]?.summary;
  const params = { id: license.id };
  expect(
    await summary('updateLicense', { params, body: { customer_email: 'grace@example.com', metadata: { note: 'moved' }, max_seats: null } }),
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
  expect(await summary('setWebhook', { params: { id: product.id }, body: { url: NOWHERE, events: [] } })).toBe(
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
    const target = await newTarget(start());
    const { service, product } = target;
    const connection = await target.connection();
    await service.ok('updatePaymentConnection', { params: { id: connection.id }, body: { default_license_type_id: product.typeId } });
    const shop = shopOf('stripe');
    const order = newOrder({ email: BUYER, ref: shop.ref.example, quantity: 1, recurring: false, test: false }, service.now());
    const left = await entriesOf(service, async () => {
      for (const message of stepsOf('refund', shop, order).flatMap(({ messages }) => messages)) {
        service.advance(1000);
        const headers = {
          'Content-Type': message.contentType,
          'User-Agent': 'Stripe/1.0',
          ...shop.sign(message, SIGNING_SECRET, service.now()),
        };
        for (let times = 0; times < 2; times += 1)
          expect(
            (await service.call('receivePayment', { params: { payment: connection.token }, body: message.body, headers })).status,
          ).toBe(200);
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
    const target = await newTarget(start());
    const { service, product } = target;
    const connection = await target.connection();
    const plans = [{ ref: shops.stripe().ref.example, license_type_id: product.typeId, quantity: 'licenses' }];
    await service.ok('updatePaymentConnection', { params: { id: connection.id }, body: { plans } });
    const left = await entriesOf(service, async () => expect((await sell(target, 25)).body['status']).toBe('done'));
    expect(left).toHaveLength(1);
    expect(left[0]).toMatchObject({
      actor: 'processor:stripe',
      action: 'createLicense',
      license_id: null,
      summary: expect.stringMatching(/^createLicense of the licenses (\d+, ){24}\d+$/),
    });
    expect(await entriesOf(service, () => sell(target, 10))).toHaveLength(10);
  });

  test('when an operator processes a held sale, the log names the operator, and names the processor for the new license', async () => {
    const target = await newTarget(start());
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
