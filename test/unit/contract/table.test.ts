import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { endpoints } from '../../../lambdas/contract';
import { partitions, type ItemAction, type Partition } from '../../../lambdas/contract/access';
import { isForApps, fileName, possibleErrors, type Endpoint, type Subject } from '../../../lambdas/contract/endpoint';
import { accessOf } from '../../../lambdas/contract/endpoint-access';
import { errors } from '../../../lambdas/contract/errors';
import { eventNames } from '../../../lambdas/contract/events';
import { permits, scopes, type Scope } from '../../../lambdas/contract/scopes';
import { isSecret } from '../../../lambdas/contract/secret';
import { workers } from '../../../lambdas/contract/workers';

const handlers = resolve(__dirname, '../../../lambdas/api');
const rows = endpoints.map((row): [string, Endpoint] => [row.name, row]);

/** The partitions that a row may access with any of these actions. */
const touched = (row: Endpoint, actions: readonly ItemAction[]): readonly Partition[] => [
  ...new Set(actions.flatMap((action) => row.store[action] ?? [])),
];
const reads: readonly ItemAction[] = ['GetItem', 'BatchGetItem', 'Query'];
const writes: readonly ItemAction[] = ['PutItem', 'UpdateItem', 'DeleteItem'];

const repeated = (values: readonly string[]): string[] => values.filter((value, index) => values.indexOf(value) !== index);
const keysOf = (schema: Endpoint['params']): string[] => (schema instanceof z.ZodMiniObject ? Object.keys(schema.shape) : []);

describe('the table as a whole', () => {
  test('no two endpoints share a name, a route or a handler', () => {
    expect(repeated(endpoints.map(({ name }) => name))).toEqual([]);
    expect(repeated(endpoints.map(({ method, path }) => `${method} ${path}`))).toEqual([]);
    expect(repeated(endpoints.map(fileName))).toEqual([]);
  });

  test('no two routes match the same request', () => {
    const shapes = endpoints.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    expect(repeated(shapes)).toEqual([]);
  });

  test('every endpoint has its handler, and no handler is unreachable', () => {
    const files = readdirSync(handlers).filter((file) => file.endsWith('.ts'));
    expect(files.sort()).toEqual(endpoints.map((row) => `${fileName(row)}.ts`).sort());
  });

  test('every event can happen: some endpoint records it', () => {
    const told = new Set(endpoints.flatMap(({ emits = [] }) => emits));
    expect(eventNames.filter((name) => !told.has(name))).toEqual([]);
  });

  test('every worker has its file, and every such file belongs to a worker that something starts', () => {
    expect(readdirSync(resolve(handlers, '../events')).sort()).toEqual(workers.map(({ name }) => `${name}.ts`).sort());
  });

  test('no prefix of a partition key begins with another prefix, so no permission for a partition includes another partition', () => {
    const prefixes = Object.values(partitions);
    for (const prefix of prefixes) expect(prefixes.filter((other) => other.startsWith(prefix))).toEqual([prefix]);
  });
});

/** The part of an admin row's path that names its subject. */
const subjectPaths: Readonly<Record<Subject, RegExp>> = {
  product: /^\/v1\/products\/\{id\}/,
  payment_connection: /^\/v1\/payment-connections\/\{id\}/,
  payment: /^\/v1\/payments\/\{payment\}/,
  license_type: /^\/v1\/license-types\/\{id\}/,
  license: /^\/v1\/licenses\/\{id\}/,
  release: /^\/v1\/releases\/\{id\}/,
  delivery: /^\/v1\/deliveries\/\{event_id\}/,
  products: /^\/v1\/[\w/-]+$/,
  deployment: /^\/v1\//,
  caller: /^\/v1\/tokens\/current$/,
};

test('a scope includes what its description says; the scope of a build machine neither reads nor writes licenses', () => {
  const included = (held: Scope): Scope[] => scopes.filter((needed) => permits([held], needed));
  expect(Object.fromEntries(scopes.map((held) => [held, included(held)]))).toEqual({
    read: ['read'],
    support: ['read', 'support'],
    licenses: ['read', 'support', 'licenses'],
    releases: ['releases'],
    manage: ['read', 'support', 'licenses', 'releases', 'manage'],
    admin: [...scopes],
  });
  const ofBuilds = endpoints.filter(({ scope }) => scope !== undefined && permits(['releases'], scope));
  expect([...new Set(ofBuilds.map(({ tag }) => tag))].sort()).toEqual(['Admin tokens', 'Products', 'Releases']);
  expect(ofBuilds.filter(({ tag }) => tag !== 'Releases').map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/products',
    'GET /v1/products/{id}',
    'GET /v1/tokens/current',
  ]);
  expect(scopes.filter((needed) => permits([], needed))).toEqual([]);
  expect(permits(['read', 'manage'], 'licenses')).toBe(true);
});

test('a token of a help line may read everything except the list of tokens and the audit log', () => {
  const hidden = endpoints.filter((row) => row.credential === 'admin' && row.method === 'GET' && !permits(['read'], row.scope));
  expect(hidden.map(({ path }) => path).sort()).toEqual(['/v1/audit', '/v1/tokens']);
});

test('functions that no request calls, including the one that talks to the internet, can neither read nor decrypt a signing seed', () => {
  for (const { store, secrets = [] } of workers) {
    expect(Object.values(store).flat()).not.toContain('signingKey');
    expect(secrets).not.toContain('signingKey');
  }
});

describe.each(rows)('%s', (_name, row) => {
  test('a write needs more than the scope read, and the path names the subject', () => {
    if (row.credential !== 'admin') return;
    if (row.method !== 'GET') expect(permits(['read'], row.scope)).toBe(false);
    expect(row.path).toMatch(subjectPaths[row.subject]);
  });

  test('lies under /v1, or is a feed, or needs no credential', () => {
    const isFeed = row.path.startsWith('/feeds/') && row.credential === 'license';
    expect(row.path.startsWith('/v1/') || isFeed || row.credential === 'none').toBe(true);
  });

  test('declares exactly the parameters that its path contains', () => {
    expect(keysOf(row.params).sort()).toEqual([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort());
    if (row.params) expect(row.params).toBeInstanceOf(z.ZodMiniObject);
  });

  test('has its handler file', () => expect(existsSync(join(handlers, `${fileName(row)}.ts`))).toBe(true));

  test('changes nothing if it only reads', () => {
    // A download (status 302) is the exception, because the service counts downloads in the statistics.
    if (row.method === 'GET' && !row.emits) expect(touched(row, writes)).toEqual(row.status === 302 ? ['stats'] : []);
  });

  test('has a body, creates something, or supports an Idempotency-Key only if its method is POST, and says whether a repeated creation needs a key', () => {
    if (row.method === 'GET') expect([row.body, [200, 302].includes(row.status), row.idempotent]).toEqual([undefined, true, undefined]);
    // A repeated request for a trial returns the same license, so it needs no key.
    if (row.status === 201 && row.repeatedStatus === undefined) expect(row.idempotent).toBeDefined();
    if (row.bodyOptional) expect(row.body?.safeParse({}).success).toBe(true);
  });

  test('can decrypt what it returns or signs with', () => {
    const answer = JSON.stringify(row.examples.response);
    const { secrets = [] } = accessOf(row);
    if (/"api_key":/.test(answer)) expect(secrets).toContain('encryptionKey');
    const signs = /"(token|offline_token|response)":"eyJ/.test(answer);
    if (signs) expect(touched(row, reads)).toContain('signingKey');
    // A function that may read the secret `signingKey` can sign for every product. Therefore only functions that sign or create signing
    // keys may read it.
    if (secrets.includes('signingKey')) expect(signs || touched(row, writes).includes('signingKey')).toBe(true);
    if (signs) expect(secrets).toContain('signingKey');
    // Routes for client apps decrypt no API key and no webhook secret.
    if (isForApps(row)) expect(secrets).not.toContain('encryptionKey');
  });

  test('responds with 404 and 401 if the specification requires it', () => {
    const names = possibleErrors(row);
    // The route that signs a buyer in can respond with 401 although it needs no credential.
    expect(names.includes('unauthorized')).toBe(row.credential !== 'none' || row.name === 'createPortalSession');
    if (row.params && (row.credential === 'admin' || row.credential === 'none')) expect(names).toContain('not_found');
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(errors[name].detail).toMatch(/^[A-Z].*[^.]$/);
  });
});

test('a client app never gets the buyer or the metadata', () => {
  for (const row of endpoints.filter(isForApps)) {
    const schema = JSON.stringify(z.toJSONSchema(row.response, { io: 'output', unrepresentable: 'any' }));
    expect(schema).not.toMatch(/customer_email|metadata|api_key|activations/i);
  }
});

test("no endpoint can return a product's secrets, except the webhook secret to the operator", () => {
  for (const row of endpoints) {
    if (['getWebhook', 'setWebhook', 'rotateWebhookSecret'].includes(row.name)) {
      expect(row.credential).toBe('admin');
      continue;
    }
    const schema = JSON.stringify(z.toJSONSchema(row.response, { io: 'output', unrepresentable: 'any' }));
    expect(schema).not.toMatch(/"(seed|secret|webhook_secret|private_key|signing_key)"/i);
  }
});

/** Every field of a schema at any depth, with its name. */
function* fieldsOf(schema: unknown): Generator<readonly [string, z.ZodMiniType]> {
  if (schema instanceof z.ZodMiniObject) {
    for (const [name, field] of Object.entries(schema.shape)) {
      yield [name, field as z.ZodMiniType];
      yield* fieldsOf(field);
    }
  } else if (schema instanceof z.ZodMiniArray) yield* fieldsOf(schema.def.element);
  else if (schema instanceof z.ZodMiniUnion) for (const option of schema.def.options) yield* fieldsOf(option);
  else if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable) yield* fieldsOf(schema.def.innerType);
}

describe('secrets in responses of the operator', () => {
  const admin = endpoints.filter(({ credential }) => credential === 'admin');

  test('are marked, so that tokens below the scope manage do not get them', () => {
    const unmarked = admin.flatMap((row) =>
      [...fieldsOf(row.response)]
        .filter(([name, field]) => /^(api_key|secret|token)$/.test(name) && !isSecret(field))
        .map(([name]) => `${row.name}: ${name}`),
    );
    // The token of `mintOfflineToken` is not marked as a secret: callers send this request only to get the token, and the token gives no
    // access to the operator's routes.
    expect(unmarked).toEqual(['mintOfflineToken: token']);
    const marked = new Set(
      admin.flatMap((row) => [...fieldsOf(row.response)].filter(([, field]) => isSecret(field)).map(([name]) => name)),
    );
    expect([...marked].sort()).toEqual(['api_key', 'payload', 'secret', 'token', 'url']);
  });

  test('are declared as optional if such tokens may call', () => {
    for (const row of admin.filter(({ scope }) => scope !== undefined && !permits([scope].flat(), 'manage'))) {
      for (const [name, field] of fieldsOf(row.response))
        if (isSecret(field)) expect([row.name, name, field.safeParse(undefined).success]).toEqual([row.name, name, true]);
    }
  });

  test('are in no response that is stored for a repeated request, unless every caller of the request may see them', () => {
    for (const row of admin.filter(({ idempotent }) => idempotent)) {
      if ([...fieldsOf(row.response)].some(([, field]) => isSecret(field)))
        expect([row.name, row.scope !== undefined && permits([row.scope].flat(), 'manage')]).toEqual([row.name, true]);
    }
  });
});

test('only the endpoints that create and revoke admin tokens can change what a token may do', () => {
  const changing = endpoints
    .filter((row) => writes.some((action) => accessOf(row).store[action]?.includes('token')))
    .map(({ name }) => name);
  expect(changing.sort()).toEqual(['createToken', 'revokeToken']);
  for (const row of endpoints)
    expect([row.name, reads.some((action) => accessOf(row).store[action]?.includes('token'))]).toEqual([
      row.name,
      row.credential === 'admin',
    ]);
});
