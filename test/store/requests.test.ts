import { randomBytes } from 'node:crypto';
import { endpoints } from '../../lambdas/contract';
import { partitions } from '../../lambdas/contract/access';
import type { Endpoint } from '../../lambdas/contract/endpoint';
import { DAY_MS, MINUTE_MS } from '../../lambdas/domain/time';
import { startEventHarness, type EventHarness } from '../support/event-harness';
import { startFiles, type TestFiles } from '../support/files';
import { ADMIN_TOKEN, harnessConfig, type CallRequest } from '../support/harness';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { newTarget, validRequest } from '../support/valid-requests';

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
const rowNamed = (name: string): Endpoint => endpoints.find((row) => row.name === name)!;

let all: Promise<void> | undefined;
/** Calls every endpoint of the contract, and delivers and sweeps the resulting events, once for all tests. */
const everything = (): Promise<void> => (all ??= callEverything());

async function callEverything(): Promise<void> {
  const target = await newTarget(service);
  const { product } = target;
  const request = async (row: Endpoint): Promise<CallRequest> => {
    by = 'preparation';
    const valid = await validRequest(row, target);
    // After this time the function's cache of the product has expired.
    service.advance(61_000);
    by = row.name;
    return row.idempotent ? { ...valid, headers: { ...valid.headers, 'Idempotency-Key': mark() } } : valid;
  };
  for (const row of endpoints) {
    const { status, body } = await service.call(row.name, await request(row));
    const done = status < 400 || row.mail === 'send' || row.name === 'confirmPortalEmail';
    expect({ row: row.name, done, body }).toEqual({ row: row.name, done: true, body });
  }
  // These requests name a revoked license or no existing license. They are refused, and the service records the refusals.
  const toRefuse: [Endpoint, CallRequest][] = [];
  for (const row of endpoints.filter(({ credential, store }) => credential === 'product' && store.Query?.includes('refusal')))
    toRefuse.push([row, await request(row)]);
  const { id, key } = target.license;
  await service.ok('revokeLicense', { params: { id } });
  for (const [row, of] of toRefuse) {
    by = row.name;
    // A refusal is not read again for a minute.
    service.advance(MINUTE_MS);
    for (const refused of [key, 'unknown']) {
      const changed = row.query ? { query: { ...of.query, key: refused } } : { body: { ...(of.body as object), key: refused } };
      expect((await service.call(row.name, { ...of, ...changed })).status).toBeLessThan(500);
    }
  }
  // The request of a buyer whose license has no free seat.
  const approval = rowNamed('decideActivationRequest');
  by = 'preparation';
  const full = await product.license({ customer_email: 'bob@example.com', max_seats: 1 });
  const refused = await validRequest(approval, { ...target, license: { ...full, customer_email: 'bob@example.com' } });
  by = approval.name;
  expect((await service.call(approval.name, refused)).status).toBe(429);
  by = 'startTrial';
  const again = { params: { id: product.id }, apiKey: product.api_key, body: { fingerprint: mark() } };
  for (let times = 0; times < 2; times += 1) await service.ok('startTrial', again);
  service.advance(15 * DAY_MS);
  expect((await service.call('startTrial', again)).status).toBe(403);
  const { params = {} } = await request(rowNamed('listMembers'));
  by = 'getLicense';
  await service.ok('getLicense', { params });
  by = 'searchLicenses';
  await service.ok('searchLicenses', { query: { order: mark() } });
  by = 'listProducts';
  await service.ok('listProducts', { query: { include: 'numbers' } });
  by = 'listLicenses';
  const asCsv = { query: { include: 'members' }, headers: { Accept: 'text/csv' } };
  await service.ok('listLicenses', { params: { id: product.id }, ...asCsv });
  for (const [name, value] of [
    ['order', mark()],
    ['key', key],
    ['customer_email', 'ada@example.com'],
  ] as const)
    await service.ok('listLicenses', { params: { id: product.id }, query: { [name]: value } });
  by = 'workers';
  await service.recover();
  await product.setWebhook('');
  const [event] = await product.deliveries();
  await service.ok('redeliver', { params: { event_id: event?.id ?? '' } });
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
