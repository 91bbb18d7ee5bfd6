import { randomBytes } from 'node:crypto';
import { newOrder } from '../../bin/sell/shop';
import { endpoints } from '../../lambdas/contract';
import { partitions } from '../../lambdas/contract/access';
import type { Endpoint } from '../../lambdas/contract/endpoint';
import { DAY_MS, MINUTE_MS } from '../../lambdas/domain/time';
import { unsubscribeToken } from '../../lambdas/use-cases/reminders/unsubscribe';
import { shopOf } from '../support/counter';
import { startEventHarness, type EventHarness } from '../support/event-harness';
import { startFiles, type TestFiles } from '../support/files';
import { ADMIN_TOKEN, harnessConfig, type CallRequest } from '../support/harness';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { allActions, isOfPortal, portalRequest } from '../support/portal';
import { FILE, licenseHeadersOf, publishOffer, releaseForEach, updaterParams } from '../support/releases';

/**
 * Checks the service's requests to its table, because the emulator is more lenient than DynamoDB: it never returns an outdated row, and
 * accepts some invalid requests.
 */

captureLogs();

interface Asked {
  /** The endpoint or worker that sends the request. */
  readonly by: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

let service: EventHarness;
let store: TestFiles;
let asked: Asked[];
let by: string;
beforeAll(async () => {
  store = await startFiles(() => service.now());
  const table = await ownTable();
  service = startEventHarness(table, {
    config: harnessConfig(table, { webhookAllowPrivate: true, mail: { transport: 'smtp', from: 'licenses@example.com' } }),
    files: store.files,
    // No server listens at this address.
    fetchSecret: (name) =>
      Promise.resolve(name === 'adminToken' ? ADMIN_TOKEN : name === 'smtpUrl' ? 'smtp://127.0.0.1:9/' : `test-${name}`),
  });
  asked = [];
  by = 'preparation';
  intercept(service.client, async ({ operation, input }, next) => {
    asked.push({ by, operation, input });
    return next();
  });
});
afterAll(async () => {
  service.close();
  await store.close();
});

const mark = (): string => randomBytes(6).toString('hex');
/** A URL with a closed port. A delivery to this URL fails at once. */
const NOWHERE = 'http://127.0.0.1:9/';

const SIGNING_SECRET = 'lemon-secret';

/** A notification of a sale, in the form in which a processor sends it. */
function sale(now: number): CallRequest {
  const shop = shopOf('lemonsqueezy');
  const order = newOrder({ email: 'ada@example.com', ref: shop.ref.example, quantity: 1, recurring: false, test: false }, now);
  const [message] = shop.messages('sale', order);
  if (!message) throw new Error('A sale sends no message');
  return { body: message.body, headers: { 'Content-Type': message.contentType, ...shop.sign(message, SIGNING_SECRET, now) } };
}

let all: Promise<void> | undefined;
/** Calls every endpoint of the contract, and delivers and sweeps the resulting events, once for all tests. */
const everything = (): Promise<void> => (all ??= callEverything());

async function callEverything(): Promise<void> {
  const product = await service.newProduct(NOWHERE);
  const { id, key } = await product.license({
    customer_email: 'ada@example.com',
    updates_until: '2099-01-01T00:00:00Z',
    meters: [{ name: 'exports', included: 1_000_000, period: 'none' }],
  });
  await service.ok('updateProduct', { params: { id: product.id }, body: { list_devices: true } });
  await service.ok('setPortal', { params: { id: product.id }, body: { enabled: true, allow: allActions } });
  const claim = { key, fingerprint: 'fingerprint-1' };
  await product.activate(key, 'fingerprint-2');
  const [{ id: eventId } = { id: '' }] = await product.deliveries();
  // The product has a current signing key and a previous one.
  const [{ kid: previousKid }] = await service.ok<[{ kid: string }]>('listSigningKeys', { params: { id: product.id } });
  const { kid } = await service.ok<{ kid: string }>('createSigningKey', { params: { id: product.id } });
  await service.ok('activateSigningKey', { params: { id: product.id, kid } });
  const trial = { name: 'Trial', kind: 'trial', duration_days: 14, self_service: true };
  await service.ok('createLicenseType', { params: { id: product.id }, body: trial });
  await service.ok('updateProduct', { params: { id: product.id }, body: { list_devices: true } });
  const connectionBody = {
    processor: 'lemonsqueezy',
    signing_secret: SIGNING_SECRET,
    api_key: 'lemon-api-key',
    default_license_type_id: product.typeId,
  };
  const connection = await service.ok<{ id: number; url: string }>('createPaymentConnection', {
    params: { id: product.id },
    body: connectionBody,
  });
  const secretOfUrl = connection.url.split('/').at(-1) ?? '';
  await service.ok('receivePayment', { params: { payment: secretOfUrl }, ...sale(service.now()) });
  const [{ id: paymentId } = { id: '' }] = await service.ok<{ id: string }[]>('listPayments', { params: { id: product.id } });
  const releases = await releaseForEach(product.id, (name, of, body) => service.ok(name, { params: { id: of }, body }));
  const { slug } = await service.ok<{ slug: string }>('getProduct', { params: { id: product.id } });
  await publishOffer(product.id, (name, of, body) => service.ok(name, { params: { id: of }, body }));
  const license = { id, key, customer_email: 'ada@example.com' };
  const token = await unsubscribeToken(service.app, product.id, 'ada@example.com');
  const { id: note } = await service.ok<{ id: string }>('createNote', { params: { id }, body: { text: 'Called on Monday' } });
  const people = await service.ok<{ id: number }>('createLicenseType', {
    params: { id: product.id },
    body: { name: 'Team', kind: 'lifetime', binding: 'user' },
  });
  const team = await product.license({ license_type_id: people.id });
  const member = await service.ok<{ id: string }>('putMember', { params: { id: team.id }, body: { email: 'member@example.com' } });
  const ofTeam = { params: { id: team.id, member_id: member.id } };
  /** The requests for routes that need other values than the example in the contract, for example ids of existing rows. */
  const special: Readonly<Record<string, () => CallRequest>> = {
    createPortalLink: () => ({ body: { customer_email: 'ada@example.com' } }),
    exportCustomer: () => ({ body: { customer_email: 'ada@example.com' } }),
    eraseCustomer: () => ({ body: { customer_email: 'ada@example.com' } }),
    deleteActivation: () => ({ params: { id, fingerprint: 'fingerprint-2' } }),
    updatePaymentConnection: () => ({ body: { grace_days: 7 } }),
    receivePayment: () => ({ params: { payment: secretOfUrl }, ...sale(service.now()) }),
    createPaymentConnection: () => ({ body: connectionBody }),
    getPurchase: () => ({ query: { order: mark() } }),
    startTrial: () => ({ body: { fingerprint: mark(), customer_email: 'ada@example.com' } }),
    searchLicenses: () => ({ query: { key } }),
    consume: () => ({ body: { key, fingerprint: 'fingerprint-2', meter: 'exports', amount: 1, id: mark() } }),
    listAppMeters: () => ({ body: { key, fingerprint: 'fingerprint-2' } }),
    listProducts: () => ({ query: { include: 'numbers' } }),
    updateLicense: () => ({ body: { max_seats: 9 } }),
    listLicenses: () => ({ query: { include: 'members' }, headers: { Accept: 'text/csv' } }),
    listMembers: () => ofTeam,
    putMember: () => ({ params: ofTeam.params, body: { email: 'grace@example.com' } }),
    removeMember: () => ofTeam,
    // With this setting the routes for updaters must read the license.
    setDownloads: () => ({ body: { access: 'licensed' } }),
  };
  const values: Readonly<Record<string, unknown>> = { ...claim, license_type_id: product.typeId, url: NOWHERE };
  const request = async (row: Endpoint): Promise<CallRequest> => {
    const body = Object.fromEntries(
      Object.entries(row.examples.request ?? {}).map(([field, example]) => [
        field,
        values[field] ?? (['name', 'slug'].includes(field) ? mark() : example),
      ]),
    );
    const owner = /^\/v1\/(licenses|license-types|payment-connections)\//.exec(row.path)?.[1] ?? '';
    const ids: Readonly<Record<string, number>> = { licenses: id, 'license-types': product.typeId, 'payment-connections': connection.id };
    return {
      params: {
        ...updaterParams(row, slug),
        id: releases.get(row.name) ?? ids[owner] ?? product.id,
        event_id: eventId,
        kid: row.method === 'DELETE' ? previousKid : kid,
        payment: paymentId,
        note,
        token,
        name: 'exports',
        filename: FILE,
      },
      ...(row.examples.request && { body }),
      ...(row.credential === 'product' && { apiKey: product.api_key, ...(row.query && { query: claim }) }),
      ...(row.idempotent && { headers: { 'Idempotency-Key': mark() } }),
      ...(row.credential === 'license' && { headers: licenseHeadersOf(product.api_key, key) }),
      ...(isOfPortal(row) &&
        (await portalRequest(row, (name, what) => service.ok(name, what), { product: { id: product.id, slug }, license }))),
      ...special[row.name]?.(),
    };
  };
  // Routes that suspend, revoke or reissue the license come last, because most other routes would be refused after them. Routes for a
  // device with a seat come first.
  const place = ({ name }: Endpoint): number =>
    ['consume', 'listAppMeters'].includes(name)
      ? -2
      : [
          'suspendLicense',
          'reinstateLicense',
          'reissuePortalLicense',
          'endPortalSession',
          'reissueLicense',
          'revokeLicense',
          'eraseCustomer',
        ].indexOf(name);
  for (const row of endpoints.toSorted((a, b) => place(a) - place(b))) {
    by = row.name;
    // After this time the function's cache of the product has expired.
    service.advance(61_000);
    const { status, body } = await service.call(row.name, await request(row));
    expect({
      row: row.name,
      done: status < 400 || row.mail === 'send' || row.name === 'confirmPortalEmail',
      body,
    }).toMatchObject({
      row: row.name,
      done: true,
    });
  }
  // These requests name a revoked license or no existing license. They are refused, and the service records the refusals.
  for (const row of endpoints.filter(({ credential, store }) => credential === 'product' && store.Query?.includes('refusal'))) {
    by = row.name;
    // A refusal is not read again for a minute.
    service.advance(MINUTE_MS);
    const of = await request(row);
    for (const refused of [key, 'unknown']) {
      const changed = row.query ? { query: { ...of.query, key: refused } } : { body: { ...(of.body as object), key: refused } };
      expect((await service.call(row.name, { ...of, ...changed })).status).toBeLessThan(500);
    }
  }
  const full = await product.license({ customer_email: 'bob@example.com', max_seats: 1 });
  await product.activate(full.key, 'fingerprint-3');
  const approval = endpoints.find(({ name }) => name === 'decideActivationRequest');
  if (!approval) throw new Error('There is no decision');
  by = approval.name;
  const bob = { id: full.id, key: full.key, customer_email: 'bob@example.com' };
  const refused = await portalRequest(approval, (name, what) => service.ok(name, what), {
    product: { id: product.id, slug },
    license: bob,
  });
  expect((await service.call(approval.name, refused)).status).toBe(429);
  by = 'startTrial';
  const again = { params: { id: product.id }, apiKey: product.api_key, body: { fingerprint: mark() } };
  for (let times = 0; times < 2; times += 1) await service.ok('startTrial', again);
  service.advance(15 * DAY_MS);
  expect((await service.call('startTrial', again)).status).toBe(403);
  by = 'getLicense';
  await service.ok('getLicense', { params: { id: team.id } });
  by = 'searchLicenses';
  await service.ok('searchLicenses', { query: { order: mark() } });
  by = 'listLicenses';
  for (const [name, value] of [
    ['order', mark()],
    ['key', key],
    ['customer_email', 'ada@example.com'],
  ] as const)
    await service.ok('listLicenses', { params: { id: product.id }, query: { [name]: value } });
  by = 'workers';
  await service.recover();
  await product.setWebhook('');
  await service.ok('redeliver', { params: { event_id: eventId } });
  await service.recover();
}

/** All reads of the table itself. Reads of an index are left out, because DynamoDB offers no consistent reads of indexes. */
function* tableReads(): Generator<{ by: string; from: string; consistent: unknown }> {
  for (const { by: who, operation, input } of asked) {
    if (operation === 'GetItem') yield { by: who, from: (input['Key'] as { pk: { S: string } }).pk.S, consistent: input['ConsistentRead'] };
    if (operation === 'BatchGetItem') {
      for (const { Keys, ConsistentRead } of Object.values(
        input['RequestItems'] as Record<string, { Keys: { pk: { S: string } }[]; ConsistentRead?: boolean }>,
      )) {
        for (const { pk } of Keys) yield { by: who, from: pk.S, consistent: ConsistentRead };
      }
    }
    if (operation === 'Query' && input['IndexName'] === undefined) {
      const [partition = ''] = /:\w+/.exec(String(input['KeyConditionExpression'])) ?? [];
      const values = input['ExpressionAttributeValues'] as Readonly<Record<string, { S: string }>>;
      yield { by: who, from: values[partition]?.S ?? '', consistent: input['ConsistentRead'] };
    }
  }
}

test('no response and no decision depends on an outdated row: reads are consistent', async () => {
  await everything();
  const reads = [...tableReads()];
  // The numbers of an overview, the history of a license, and the rows about refused requests are only displayed, so they may be slightly
  // outdated. Their reads are eventually consistent, which costs half as much.
  const forTheEye = ({ by: who, from }: (typeof reads)[number]): boolean =>
    (['getOverview', 'getDeploymentOverview', 'listProducts'].includes(who) && from.startsWith(partitions.stats)) ||
    (['listLicenseEvents', 'exportCustomer'].includes(who) && from.startsWith(partitions.event)) ||
    ((who === 'decideActivationRequest' || endpoints.some(({ name, credential }) => name === who && credential === 'product')) &&
      from.startsWith(partitions.refusal));
  expect(reads.filter((read) => !forTheEye(read) && read.consistent !== true)).toEqual([]);

  // The checks above must have covered enough reads: each endpoint has read every partition that it may query, and some endpoint or worker
  // has read each of the partitions listed below.
  const seen = new Set(
    reads.map(({ by: who, from }) => `${who} ${Object.entries(partitions).find(([, prefix]) => from.startsWith(prefix))?.[0]}`),
  );
  for (const { name, store } of endpoints) for (const partition of store.Query ?? []) expect(seen).toContain(`${name} ${partition}`);
  for (const partition of ['product', 'license', 'licenseId', 'event', 'idempotency'])
    expect([...seen].some((read) => read.endsWith(` ${partition}`))).toBe(true);
});

/** The attributes that an update expression names. An attribute that occurs twice is listed twice. */
function namedBy({
  UpdateExpression = '',
  ExpressionAttributeNames = {},
}: {
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
}): string[] {
  const clauses = UpdateExpression.split(/\b(?:SET|REMOVE|ADD)\b/).filter((clause) => clause.trim() !== '');
  const names = clauses.flatMap((clause) =>
    clause
      .replace(/\([^)]*\)/g, '')
      .split(',')
      .map((part) => part.trim().split(/[ =]/)[0] ?? ''),
  );
  return names.map((name) => ExpressionAttributeNames[name] ?? name);
}

test('no change names an attribute twice: DynamoDB would refuse it, and the change would be lost', async () => {
  await everything();
  const updates = asked.flatMap(({ operation, input }) => {
    if (operation === 'UpdateItem') return [input];
    return operation === 'TransactWriteItems'
      ? (input['TransactItems'] as { Update?: object }[]).flatMap(({ Update }) => Update ?? [])
      : [];
  });
  const named = updates.map(namedBy);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((names) => names.includes('pending_sk') && names.includes('lease_until')).length).toBeGreaterThan(0);
  for (const names of named) expect(names).toEqual([...new Set(names)]);
});
