import * as z from 'zod/mini';
import { endpoints } from '../../lambdas/contract';
import { isForApps, takesBody, type Endpoint } from '../../lambdas/contract/endpoint';
import {
  adminToken,
  app,
  expectError,
  get,
  getLicense,
  newLicense,
  newShop,
  post,
  send,
  stackUrl,
  unique,
  type Answer,
  type Shop,
} from '../support/http';
import { serveInProcess } from '../support/in-process';
import { headersFor, newSession } from '../support/routes';
import { sampled } from '../support/sampled';

/** Tests invalid requests of clients. The response must never have a 5xx status, and the request must never have an effect. */

serveInProcess();

let shop: Shop;
let session: string;
beforeAll(async () => {
  shop = await newShop({}, { customer_email: `${unique('buyer')}@example.com` });
  session = await newSession(shop);
});

const json = { 'Content-Type': 'application/json' };
/** Notifications of payment processors are left out, because they are verified before they are parsed (test/api/payments.test.ts). */
const posts = endpoints.filter((row) => takesBody(row) && row.credential !== 'signature').map((row): [string, Endpoint] => [row.path, row]);
const address = ({ path }: Endpoint, id: string): string =>
  path
    .replace('{id}', id)
    .replace('{slug}', shop.product.slug)
    .replace(/\{\w+\}/g, '0'.repeat(32));
const idOf = ({ path }: Endpoint): string => String(path.includes('/licenses/{id}') ? shop.license.id : shop.product.id);

const credentialOf = (row: Endpoint): Record<string, string> => headersFor(row, { ...shop, session }) as Record<string, string>;

const sendTo = (row: Endpoint, id: string, body: string | Uint8Array | undefined, headers: object = json): Promise<Answer<unknown>> =>
  send(address(row, id), {
    method: row.method,
    ...(body !== undefined && { body }),
    headers: { ...credentialOf(row), ...headers },
  });

const notAnObject: [string, string | Uint8Array][] = [
  ['garbage', 'garbage'],
  ['half an object', '{"name":'],
  ['two objects', '{}{}'],
  ['a trailing comma', '{"name":"x",}'],
  ['single quotes', "{'name':'x'}"],
  ['a comment', '{} // x'],
  ['NaN', '{"name":NaN}'],
  ['an array', '[]'],
  ['an array of objects', '[{"name":"x"}]'],
  ['null', 'null'],
  ['a number', '1'],
  ['text', '"text"'],
  ['true', 'true'],
  ['white space', ' \n '],
  ['a NUL', '\0'],
  ['a byte order mark', '\uFEFF{}'],
  ['UTF-16', Buffer.from('{"name":"x"}', 'utf16le')],
  ['bytes that are no UTF-8', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')])],
  ['a cut-off character', Buffer.from('{"name":"ä"}').subarray(0, 10)],
  ['an array as deep as it fits', '['.repeat(60_000)],
  ['an object as deep as it fits', '{"a":'.repeat(10_000)],
  ['a form', 'name=x&slug=y'],
];

const contentTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/json',
  'application/jsonp',
  'application/json-patch+json',
  'application/json; charset=latin1',
  'x',
  ', application/json',
];

/**
 * Divides the cases of a test among routes: each route gets at least two cases, and the next route gets the next ones. All cases are
 * divided anew among the routes of each kind, so that every kind of route gets every case.
 */
function shareOf<Case>(cases: readonly Case[], row: Endpoint, rows: readonly Endpoint[], kindOf: (row: Endpoint) => string): Case[] {
  const alike = rows.filter((other) => kindOf(other) === kindOf(row));
  const size = Math.max(2, Math.ceil(cases.length / alike.length));
  const first = alike.indexOf(row) * size;
  return cases.length <= size ? [...cases] : Array.from({ length: size }, (_, place) => cases[(first + place) % cases.length]!);
}
/** The routes of one kind have the same credential and need a body in the same way. */
const kindOfBody = (row: Endpoint): string => `${row.credential} ${row.body ? (row.bodyOptional ? 'optional' : 'required') : 'none'}`;
const postRows = posts.map(([, row]) => row);

describe.each(sampled(posts))('POST %s', (_path, row) => {
  test.each(shareOf(notAnObject, row, postRows, kindOfBody))('says what is wrong with a body that is %s', async (_case, body) => {
    expectError(await sendTo(row, idOf(row), body), 'invalid_request', /body/);
  });

  test('a wrong body is reported before an unknown id', async () => {
    const odd = ['0', '-1', '%20'];
    for (const id of ['9007199254740991', odd[postRows.indexOf(row) % odd.length]!]) {
      const answer = await sendTo(row, id, '[]');
      // A client route doesn't reveal which products exist.
      expectError(answer, row.credential === 'product' ? 'unauthorized' : 'invalid_request');
    }
  });

  test.each(shareOf(contentTypes, row, postRows, kindOfBody))('refuses the content type %s', async (type) =>
    expectError(await sendTo(row, idOf(row), '{}', { 'Content-Type': type }), 'invalid_request', /Content-Type/),
  );

  test('explains that the body is missing if one is required', async () => {
    const answer = await sendTo(row, '9007199254740991', undefined, {});
    if (row.credential === 'product') expectError(answer, 'unauthorized');
    else if (row.body && !row.bodyOptional) expectError(answer, 'invalid_request', /body/);
    else expect(answer.status).toBeLessThan(500);
  });
});

describe('a body is accepted in any form that JSON allows', () => {
  const { path } = endpoints.find(({ name }) => name === 'createProduct')!;
  test.each<[string, object]>([
    ['application/json', json],
    ['with a charset', { 'Content-Type': 'application/json; charset=utf-8' }],
    ['with a quoted charset in capitals', { 'Content-Type': 'Application/JSON;charset="UTF-8"' }],
    ['without a content type', {}],
    ['with a header name in capitals', { 'CONTENT-TYPE': 'application/json' }],
  ])('%s', async (_case, headers) => {
    const slug = unique();
    const { status, body } = await send(path, {
      method: 'POST',
      body: JSON.stringify({ name: slug, slug }),
      headers: { 'X-Svc-Admin-Token': adminToken(), ...headers },
    });
    expect([status, body['slug']]).toEqual([201, slug]);
  });

  test('if a field occurs twice, its last value counts', async () => {
    const [first, last] = [unique(), unique()];
    const answer = await post(path, `{"name":"${first}","slug":"${first}","slug":"${last}"}`, json);
    expect(answer.body).toMatchObject({ name: first, slug: last });
  });

  test('unknown fields have no effect', async () => {
    const slug = unique();
    const sent = `{"name":"${slug}","slug":"${slug}","id":1,"api_key":"x","public_key":"x","webhook_url":"http://x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`;
    const { status, body } = await post(path, sent, json);
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual([
      'api_key',
      'created_at',
      'id',
      'list_devices',
      'name',
      'public_key',
      'slug',
      'trials_per_hour',
    ]);
    expect(body['id']).not.toBe(1);
    expect(body['api_key']).not.toBe('x');

    const license = (
      await post(`/v1/products/${shop.product.id}/licenses`, {
        license_type_id: shop.type.id,
        status: 'revoked',
        seats: { used: 5 },
        id: 1,
        activations: [{}],
        product_id: 1,
        revoked_at: 'now',
      })
    ).body;
    expect(license).toMatchObject({
      status: 'active',
      product_id: shop.product.id,
      seats: { used: 0, max: 0 },
      activations: [],
      revoked_at: null,
    });
  });
});

describe('a query', () => {
  const path = '/v1/products';
  const admin = { 'X-Svc-Admin-Token': adminToken() };
  test('names each of its parameters once', async () => {
    expectError(await send(`${path}?limit=1&limit=2`, { headers: admin }), 'invalid_request', /^limit must be given once$/);
  });
  test('may contain unknown parameters, even repeatedly', async () => {
    expect((await send(`${path}?limit=1&utm=1&utm=2`, { headers: admin })).status).toBe(200);
  });
});

describe('at most 64 KB, counted in bytes', () => {
  const limit = 64 * 1024;
  const sized = (bytes: number, filler = 'x'): string => {
    const frame = (fill: string): string => JSON.stringify({ license_type_id: shop.type.id, ignored: fill });
    const text = frame(filler.repeat(Math.floor((bytes - frame('').length) / Buffer.byteLength(filler))));
    return text + ' '.repeat(bytes - Buffer.byteLength(text));
  };
  const issue = (body: string, headers: object = json): Promise<Answer<unknown>> =>
    post(`/v1/products/${shop.product.id}/licenses`, body, { ...headers });

  test.each([
    ['ASCII', 'x'],
    ['two-byte letters', 'ä'],
    ['emoji', '😀'],
  ])('%s', async (_case, filler) => {
    for (const size of [limit - 1, limit]) expect((await issue(sized(size, filler))).status).toBe(201);
    for (const size of [limit + 1, 2 * limit]) expectError(await issue(sized(size, filler)), 'invalid_request', /64 KB/);
  });

  test('a body of megabytes is refused in the same way', async () => {
    // The oversized requests go to the running stack, which refuses most of them before they reach a function.
    const headers = { 'X-Svc-Admin-Token': adminToken(), ...json };
    for (const size of [3_000_000, 7_000_000, 11_000_000])
      expectError(
        await send(`/v1/products/${shop.product.id}/licenses`, { method: 'POST', body: sized(size), headers, baseUrl: stackUrl() }),
        'invalid_request',
      );
  });

  test('on routes that need no body as well', async () => {
    expectError(await post(`/v1/licenses/${shop.license.id}/reset`, sized(limit + 1), json), 'invalid_request');
    expectError(await post(`/v1/licenses/${shop.license.id}/revoke`, sized(limit + 1), json), 'invalid_request');
    expect((await getLicense(shop.license.id)).status).toBe('active');
  });
});

describe('an id that is not a decimal integer of at least 1 is unknown', () => {
  const odd = ['0', '-1', 'x', '%00', '%EF%BC%91', '9007199254740992', '9'.repeat(400), '%', '%ZZ', '%C3', '{id}', '__proto__'];
  const named = endpoints.filter((row) => !isForApps(row) && row.path.includes('{id}'));
  /** The ids of one kind are ids of the same kind of row. */
  const kindOfId = ({ path, credential }: Endpoint): string => `${credential} ${path.split('/')[2]}`;

  test.each(named.map((row): [string, Endpoint] => [`${row.method} ${row.path}`, row]))('%s', async (_name, row) => {
    const body = takesBody(row) ? JSON.stringify(row.examples.request ?? {}) : undefined;
    for (const id of shareOf(odd, row, named, kindOfId)) {
      const answer = await sendTo(row, id, body);
      expect({ id, status: answer.status }).toEqual({ id, status: 404 });
      expectError(answer, 'not_found');
    }
    expectError(await sendTo(row, '9007199254740991', body), 'not_found');
  });

  test('an id with percent-encoded digits is the same id', async () => {
    const encoded = [...String(shop.product.id)].map((digit) => `%3${digit}`).join('');
    expect((await get(`/v1/products/${encoded}`)).body['id']).toBe(shop.product.id);
  });
});

describe('queries', () => {
  const FIELD = /^(limit|status|license_type_id|customer_email|key|fingerprint|cursor) (is|must) /;
  const list = (query: string): Promise<Answer<unknown>> => get(`/v1/products/${shop.product.id}/licenses${query}`);
  const validate = (query: string): Promise<Answer<unknown>> =>
    send(`/v1/products/${shop.product.id}/validate${query}`, { headers: { 'X-API-Key': shop.product.api_key } });

  test.each([
    '?limit=0',
    '?limit',
    '?limit=%00',
    '?limit=1&limit=1',
    '?status=active&status=revoked',
    '?license_type_id=',
    '?customer_email=%00',
    '?key=%20',
    '?cursor=%00',
    '?cursor=LTE',
  ])('a list refuses %s', async (query) => expectError(await list(query), 'invalid_request', FIELD));

  test('an invalid query is reported before an unknown product', async () => {
    for (const id of ['9007199254740991', '0', 'x']) {
      for (const query of ['limit=0', 'status=x', 'cursor=%00'])
        expectError(await get(`/v1/products/${id}/licenses?${query}`), 'invalid_request', FIELD);
      expectError(await get(`/v1/products/${id}/license-types?limit=0`), 'invalid_request', FIELD);
    }
  });

  test('in every list, an invalid cursor is reported before an unknown product', async () => {
    const lists = endpoints.filter((row) => row.method === 'GET' && row.query instanceof z.ZodMiniObject && 'cursor' in row.query.shape);
    expect(lists.length).toBeGreaterThan(4);
    for (const row of lists) {
      for (const id of ['9007199254740991', '0', 'x'])
        expectError(
          await send(`${address(row, id)}?cursor=eA`, { headers: credentialOf(row) }),
          'invalid_request',
          /^cursor is not a cursor of this list$/,
        );
    }
  });

  test('unknown parameters are ignored', async () => {
    expect((await list('?colour=blue&__proto__=x&%00=1')).status).toBe(200);
    expect((await list('?')).status).toBe(200);
    expect((await list('?&&')).status).toBe(200);
  });

  test.each(['', '?key=x', '?key=x&key=y&fingerprint=abcdefgh', '?key=%ED%A0%80&fingerprint=abcdefg', '?KEY=x&FINGERPRINT=abcdefgh'])(
    'a validation refuses "%s"',
    async (query) => expectError(await validate(query), 'invalid_request', FIELD),
  );

  test.each(['?key=%20x%20&fingerprint=abcdefgh', '?key=%F0%9F%98%80&fingerprint=abcdefgh'])(
    'a validation with the query %s is answered as for an unknown key',
    async (query) => expect((await validate(query)).text).toBe('{"valid":false,"status":"invalid"}'),
  );
});

describe('text is stored in one Unicode form', () => {
  const create = (fields: object): Promise<Answer<Record<string, unknown>>> =>
    post('/v1/products', { name: unique(), slug: unique(), ...fields });
  const tag = unique();

  test('the length of a name is its number of characters; surrounding spaces are removed, and letters with accents are composed', async () => {
    for (const [name, stored] of [
      ['😀'.repeat(180) + tag, '😀'.repeat(180) + tag],
      [`  ${tag} spaces\u00a0`, `${tag} spaces`],
      [`Cafe\u0301 ${tag}`, `Caf\u00e9 ${tag}`],
    ] as const) {
      const { status, body } = await create({ name });
      expect([status, body['name']]).toEqual([201, stored]);
    }
    // The composed and the decomposed Unicode form of a name are the same name.
    expectError(await create({ name: `Caf\u00e9 ${tag}` }), 'duplicate', /name/);
  });
});

test('invalid device data of a client app is refused with a clear message, and never breaks the service', async () => {
  const { product, type } = shop;
  const { key } = await newLicense(type);
  const fingerprint = 'fingerprint-1';
  const activate = (body: object): Promise<Answer<unknown>> =>
    send(`/v1/products/${product.id}/activate`, { method: 'POST', body, headers: { 'X-API-Key': product.api_key } });
  expectError(await activate({ key, fingerprint: 'short77' }), 'invalid_request', /fingerprint/);
  // The body is checked before the key, so a wrong label with an unknown key gets 422.
  expectError(await activate({ key: 'unknown', fingerprint, name: 5 }), 'invalid_request', /name/);
  expectError(await activate({ key: 'unknown', fingerprint }), 'not_found');

  const odd = ['DEVICE#x#y~', '$ref:<>"\'\\', '__proto__', 'constructor', '"}{":[]', '~'.repeat(128), '\u0021'.repeat(8)];
  for (const name of odd) {
    const answer = await app(product).activate(key, name.padEnd(8, 'x'), { name, platform: name });
    expect(answer.status).toBe(200);
    expect(answer.body.device).toMatchObject({ fingerprint: name.padEnd(8, 'x'), name, platform: name });
  }
});
