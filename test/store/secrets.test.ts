import { TransactionCanceledException, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { endpoints } from '../../lambdas/contract';
import { partitions } from '../../lambdas/contract/access';
import { unpackBody } from '../../lambdas/store/events/compression';
import type { Endpoint } from '../../lambdas/contract/endpoint';
import { seedPlace } from '../../lambdas/domain/signing-key';
import { messageOf, startEventHarness, type EventHarness } from '../support/event-harness';
import { ADMIN_TOKEN, harnessConfig, stackTableName, type CallRequest, type CallResult } from '../support/harness';
import { adminToken, newShop, post } from '../support/http';
import { intercept, serverError, throttled, type Call } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startFiles, type TestFiles } from '../support/files';
import { startReceiver, type Receiver } from '../support/receiver';
import { sampled } from '../support/sampled';
import { newTarget, validRequest } from '../support/valid-requests';
import { clockStart } from '../support/start';
import { everyRow } from '../support/table';
import { formsOf } from '../support/secret-forms';

/** Sends recognizable secret values through every route and every fault, and searches for them in all outputs. */

const mark = (): string => randomBytes(12).toString('hex');
const logged = captureLogs();

/** The names of the secrets that occur in a text, each in any of its encodings. */
const foundIn = (text: string, secrets: Readonly<Record<string, string>>): string[] =>
  Object.entries(secrets).flatMap(([name, secret]) => (formsOf(secret).some((form) => text.includes(form)) ? [name] : []));

/** A row as a thief of the table would read it: its bytes, and their decompressed content. */
const dump = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_name, value: unknown) => {
    if (!(value instanceof Uint8Array)) return value;
    const bytes = Buffer.from(value);
    try {
      return unpackBody(bytes);
    } catch {
      return bytes.toString('latin1');
    }
  });

/**
 * All secrets by name. No response contains a `hidden` secret. A response contains a `shown` secret only if the contract lists it in the
 * endpoint's response.
 */
interface Canaries {
  readonly hidden: Readonly<Record<string, string>>;
  readonly shown: Readonly<Record<'api_key' | 'secret' | 'key' | 'customer_email' | 'metadata' | 'url' | 'offline_token', string>>;
}

interface Drive {
  readonly service: EventHarness;
  readonly canaries: Canaries;
  readonly table: string;
  readonly backend: Receiver;
  readonly productId: number;
  /** Creates the rows that a request to an endpoint needs, and returns the request. */
  request(row: Endpoint): Promise<CallRequest>;
}

let backend: Receiver;
let store: TestFiles;
beforeAll(async () => {
  backend = await startReceiver();
  store = await startFiles(clockStart);
});
afterAll(() => Promise.all([backend.close(), store.close()]));
const running: EventHarness[] = [];
afterEach(() => running.splice(0).forEach((harness) => harness.close()));

/** Creates a product, a license type and a license, and collects all their secrets. */
async function drive(): Promise<Drive> {
  const hidden: Record<string, string> = {
    'admin token': ADMIN_TOKEN,
    'encryption key': mark(),
    'signing key': mark(),
    'SMTP password': mark(),
    'idempotency key': mark(),
  };
  const table = await ownTable();
  const service = startEventHarness(table, {
    config: harnessConfig(table, { webhookAllowPrivate: true, mail: { transport: 'smtp', from: 'licenses@example.com' } }),
    files: store.files,
    // No server listens at this address.
    fetchSecret: (name) =>
      Promise.resolve(
        name === 'adminToken'
          ? ADMIN_TOKEN
          : name === 'smtpUrl'
            ? `smtp://mailer:${hidden['SMTP password']}@127.0.0.1:9/`
            : String(hidden[name === 'signingKey' ? 'signing key' : 'encryption key']),
      ),
  });
  running.push(service);
  const own = { customer_email: `${mark()}@example.com`, metadata: mark(), url: `${backend.url}?token=${mark()}` };
  const target = await newTarget(service, {
    license: { customer_email: own.customer_email, metadata: { order: own.metadata } },
    webhook: own.url,
  });
  const { product, license } = target;
  const { offline_token } = (await product.activate(license.key, 'fingerprint-1')).body;
  await service.run();

  const stored = (await everyRow(table)).find(({ pk }) => String(pk).startsWith(partitions.signingKey));
  const [[kid, sealed] = ['', '']] = Object.entries((stored?.['seeds'] ?? {}) as Record<string, string>);
  const seed = await service.app.secrets.open('signing_seed', sealed, seedPlace(product.id, kid));
  for (const form of ['latin1', 'base64', 'hex'] as const) hidden[`signing seed in ${form}`] = seed.toString(form);
  return {
    service,
    table,
    backend,
    productId: product.id,
    canaries: {
      hidden,
      shown: { api_key: product.api_key, secret: product.secret, key: license.key, ...own, offline_token: String(offline_token) },
    },
    request: async (row) => {
      const valid = await validRequest(row, target);
      const { headers = {}, body } = valid;
      const session = headers['X-Portal-Session'];
      if (session !== undefined) hidden[`portal session of ${row.name}`] = session;
      if (row.name === 'createPortalSession') hidden['token of a portal link'] = (body as { token: string }).token;
      return row.idempotent ? { ...valid, headers: { ...headers, 'Idempotency-Key': `${hidden['idempotency key']}-${mark()}` } } : valid;
    },
  };
}

/** The names of all properties in a schema. */
function* propertiesOf(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  if ('properties' in schema) yield* Object.keys(schema.properties as object);
  for (const inner of Object.values(schema)) yield* propertiesOf(inner);
}
/** The names of the fields, and therefore of the secrets, that an endpoint's response may contain according to the contract. */
const shownBy = (row: Endpoint): string[] => {
  const names = new Set(propertiesOf(z.toJSONSchema(row.response, { unrepresentable: 'any' })));
  const otherNames = { token: 'offline_token', email: 'customer_email' };
  return [...names, ...Object.entries(otherNames).flatMap(([name, shown]) => (names.has(name) ? [shown] : []))];
};

/** Routes about a connection or a notification of a payment processor are tested in test/api/payments.test.ts. */
const rows = endpoints.filter(({ path }) => !/^\/v1\/(payments|payment-connections)\//.test(path));
const rowNamed = (name: string): Endpoint => endpoints.find((row) => row.name === name)!;
const textOf = ({ headers, body }: CallResult): string => JSON.stringify({ headers, body });

/** The state after one valid request to each route, and everything that the service wrote. */
interface Requested extends Drive {
  readonly answers: readonly (readonly [Endpoint, CallResult])[];
  /** The messages in the queues, before the events were delivered. */
  readonly queued: string;
  readonly posted: string;
  readonly logs: string;
}

let requested: Promise<Requested> | undefined;
/** Sends a valid request to each route, and delivers the events. Two tests examine the result, so this is done only once. */
const requestEveryRoute = (): Promise<Requested> => (requested ??= sendToEveryRoute());
async function sendToEveryRoute(): Promise<Requested> {
  const driven = await drive();
  const { service, request, backend: receiver } = driven;
  const answers: [Endpoint, CallResult][] = [];
  let queued = '';
  for (const row of rows) {
    answers.push([row, await service.call(row.name, await request(row))]);
    queued += service.queue.map(({ body }) => body).join('\n');
  }
  await service.run();
  const posted = receiver.received.map(({ headers, raw }) => JSON.stringify(headers) + raw.toString()).join('\n');
  return { ...driven, answers, queued, posted, logs: logged().join('\n') };
}

test('a response shows a secret only if the contract says so; no message and no log shows any', async () => {
  const { service, productId, canaries, answers, queued, posted, logs } = await requestEveryRoute();
  for (const [row, answer] of answers) {
    const isDone = answer.status < 400 || row.mail === 'send' || row.name === 'confirmPortalEmail';
    expect([row.name, isDone, answer]).toEqual([row.name, true, answer]);
    expect({ row: row.name, shows: foundIn(textOf(answer), canaries.hidden) }).toEqual({ row: row.name, shows: [] });
    const shown = foundIn(textOf(answer), canaries.shown);
    const permitted = shown.length > 0 ? shownBy(row) : [];
    expect({ row: row.name, shows: shown.filter((name) => !permitted.includes(name)) }).toEqual({ row: row.name, shows: [] });
  }
  // Some requests name another license than the others.
  const licenses = await service.ok<{ id: number; key: string }[]>('listLicenses', { params: { id: productId }, query: { limit: '100' } });
  const keys = Object.fromEntries(licenses.map(({ id, key }) => [`key of license ${id}`, key]));
  const all = { ...canaries.hidden, ...canaries.shown, ...keys };
  expect(foundIn(queued, all)).toEqual([]);
  // Posted events are for the product's backend: they contain the license, its buyer and metadata, but no credential.
  expect(posted).toContain(canaries.shown.customer_email);
  expect(
    foundIn(posted, {
      ...canaries.hidden,
      api_key: canaries.shown.api_key,
      secret: canaries.shown.secret,
      offline_token: canaries.shown.offline_token,
    }),
  ).toEqual([]);
  expect(foundIn(logs, all)).toEqual([]);
});

test('a refusal repeats nothing from the request, and neither does a log', async () => {
  const { service, canaries, request } = await drive();
  const all = { ...canaries.hidden, ...canaries.shown };
  for (const row of sampled(endpoints)) {
    const sound = await request(row);
    const fields = Object.keys({ ...(sound.body as object | undefined), ...sound.query });
    const secrets = Object.values(all)
      .filter((secret) => /^[\x20-\x7e]+$/.test(secret))
      .join(' ');
    const odd: CallRequest[] = [
      { ...sound, headers: { 'X-Svc-Admin-Token': `${ADMIN_TOKEN}x` }, apiKey: `${canaries.shown.api_key}x` },
      ...(row.body
        ? [
            { ...sound, body: secrets },
            { ...sound, headers: { ...sound.headers, 'Content-Type': secrets } },
          ]
        : []),
      ...(row.idempotent ? [{ ...sound, headers: { ...sound.headers, 'Idempotency-Key': secrets } }] : []),
      { ...sound, params: { id: secrets, event_id: secrets } },
      { ...sound, query: { ...sound.query, limit: secrets, cursor: secrets, status: secrets, fingerprint: secrets } },
      ...fields.flatMap((field) =>
        [[secrets], secrets, `${secrets}\0`].map((value) => ({ ...sound, body: { ...(sound.body as object), [field]: value } })),
      ),
    ];
    for (const one of odd) {
      const answer = await service.call(row.name, one);
      expect(answer.status).toBeLessThan(500 + Number(row.mail === 'send') * 3);
      if (answer.status >= 400) expect({ row: row.name, repeats: foundIn(textOf(answer), all) }).toEqual({ row: row.name, repeats: [] });
    }
  }
  expect(foundIn(logged().join('\n'), all)).toEqual([]);
});

/** A row in DynamoDB's own format, in which each value has a type. */
type StoredItem = Record<string, AttributeValue>;

/** Imitates an error of DynamoDB, whose text repeats the keys in the request. */
const refused = ({ input }: Call): Error =>
  Object.assign(new Error(`1 validation error detected: Value '${JSON.stringify(keysIn(input))}' failed to satisfy constraint`), {
    name: 'ValidationException',
    $metadata: { httpStatusCode: 400 },
  });

function keysIn(input: unknown): unknown[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]: [string, unknown]) =>
    ['Key', 'Keys', 'pk', 'email_pk'].includes(name) ? [value] : keysIn(value),
  );
}

const faults: [string, (call: Call, items: readonly StoredItem[]) => Error][] = [
  // The service handles both errors in the same way.
  ['throttling and server errors, in turn', ({ place }) => (place % 2 === 0 ? throttled() : serverError())],
  ['a refusal that quotes the keys', refused],
  [
    'transactions that conflict, with the items they met',
    (_call, items) =>
      new TransactionCanceledException({
        message: 'Transaction cancelled, please refer cancellation reasons for specific reasons',
        $metadata: { httpStatusCode: 400 },
        CancellationReasons: [{ Code: 'TransactionConflict' }, ...items.map((Item) => ({ Code: 'ConditionalCheckFailed', Item }))],
      }),
  ],
  [
    'a transaction that is refused, with the items it met',
    (_call, items) =>
      new TransactionCanceledException({
        message: 'Transaction cancelled',
        $metadata: { httpStatusCode: 400 },
        CancellationReasons: [{ Code: 'ValidationError' }, ...items.map((Item) => ({ Code: 'None', Item }))],
      }),
  ],
  [
    'a fault that carries all it was sent',
    ({ input }) => Object.assign(new Error('refused'), { input, $response: { body: JSON.stringify(input) } }),
  ],
];
/** Six pairs: a call of each request (the second or the third), and a third of the routes. */
const laterCalls = Array.from({ length: 6 }, (_, pair) => ({ place: 1 + (pair % 2), third: pair % 3 }));
// Each fault is injected into the first call of every request. For each route, one of the faults is also injected into the second call, and
// another fault into the third call.
test.each(faults.map(([fault, makeFault], turn) => [fault, makeFault, turn] as const))(
  'no secret is in a response or a log if the table fails with %s',
  async (_fault, makeFault, turn) => {
    const { service, canaries, request, table } = await drive();
    const tried: [Endpoint, CallRequest][] = [];
    for (const row of sampled(rows)) tried.push([row, await request(row)]);
    const { params: delivery = {} } = await request(rowNamed('getDelivery'));
    const items = (await everyRow(table)).map((row) => marshall(row));
    const all = { ...canaries.hidden, ...canaries.shown };
    let skipped = 0;
    let calls = 0;
    intercept(service.client, (call, next) => (calls++ < skipped ? next() : Promise.reject(makeFault(call, items))));
    for (const { place, third } of [{ place: 0, third: undefined }, ...laterCalls.filter((_, pair) => pair % faults.length === turn)]) {
      skipped = place;
      for (const [index, [row, valid]] of tried.entries()) {
        if (third !== undefined && index % 3 !== third) continue;
        calls = 0;
        const answer = await service.call(row.name, valid);
        if (answer.status >= 400) expect({ row: row.name, tells: foundIn(textOf(answer), all) }).toEqual({ row: row.name, tells: [] });
      }
      calls = 0;
      await service.deliver(messageOf(String(delivery['event_id'])));
      await service.sweep().catch(() => undefined);
    }
    expect(logged().length).toBeGreaterThan(tried.length);
    expect(foundIn(logged().join('\n'), all)).toEqual([]);
  },
);

test("a failed delivery reports the reason, without the secrets in the webhook's URL", async () => {
  const { service, canaries, request, backend: receiver } = await drive();
  const all = { ...canaries.hidden, ...canaries.shown };
  const { params = {} } = await request(rowNamed('setWebhook'));
  const { pathname, search, port } = new URL(canaries.shown.url);
  const addresses = [
    canaries.shown.url,
    `http://127.0.0.1:9${pathname}${search}`,
    `https://127.0.0.1:${port}${pathname}${search}`,
    `http://no-such-host.invalid${pathname}${search}`,
  ];
  receiver.answer = () => 500;
  for (const url of addresses) {
    expect((await service.call('setWebhook', { params, body: { url } })).status).toBe(200);
    expect((await service.call('testWebhook', { params })).status).toBe(202);
    await service.run();
  }
  receiver.answer = () => 200;
  expect(logged().filter((line) => line.includes('EVENT_FAILED')).length).toBe(addresses.length);
  expect(foundIn(logged().join('\n'), all)).toEqual([]);
  const { body } = await service.call('listDeliveries', { params });
  const reasons = Object.values(body).map((delivery) =>
    JSON.stringify([(delivery as { last_error: unknown }).last_error, (delivery as { history: unknown }).history]),
  );
  expect(foundIn(reasons.join(), all)).toEqual([]);
});

test('a stolen table contains no credential: no API key, no signing seed, no webhook secret, no admin token', async () => {
  const { canaries, table } = await requestEveryRoute();
  const { 'idempotency key': _, ...hidden } = canaries.hidden;
  const { api_key, secret, offline_token, key, customer_email } = canaries.shown;
  const stolen = dump(await everyRow(table));
  const credentials = {
    ...hidden,
    api_key,
    'API key without its prefix': api_key.slice(3),
    secret,
    'secret without its prefix': secret.slice(6),
    offline_token,
  };
  expect(foundIn(stolen, credentials)).toEqual([]);
  // The pattern looks for whole words. Encrypted values are base64url text, which may contain any three letters by chance.
  expect(stolen).not.toMatch(/(?<![\w-])(whsec_|pk_[\w-]{32}(?![\w-]))|PRIVATE KEY/);
  // The search finds values that are stored without encryption, which shows that the search itself works.
  expect(foundIn(stolen, { key, customer_email })).toEqual(['key', 'customer_email']);

  // The table of the running service must contain no secrets either. It contains the rows of all tests, so this test reads only the rows of
  // one product.
  const { product } = await newShop();
  const { secret: running } = (await post<{ secret: string }>(`/v1/products/${product.id}/webhook`, { url: '' })).body;
  const rows = await everyRow(stackTableName(), {
    FilterExpression: 'product_id = :id OR contains(pk, :text)',
    ExpressionAttributeValues: { ':id': product.id, ':text': String(product.id) },
  });
  expect(rows.map(({ pk }) => pk)).toEqual(
    expect.arrayContaining([partitions.product, partitions.audit].map((partition) => `${partition}${product.id}`)),
  );
  expect(
    foundIn(dump(rows), {
      'admin token': adminToken(),
      'test admin token': ADMIN_TOKEN,
      api_key: product.api_key,
      secret: running,
    }),
  ).toEqual([]);
});
