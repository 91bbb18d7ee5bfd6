import { endpoints } from '../../lambdas/contract';
import { takesBody, type Endpoint } from '../../lambdas/contract/endpoint';
import { errors } from '../../lambdas/contract/errors';
import { adminToken, expectError, send, type Answer } from '../support/http';
import { serveInProcess } from '../support/in-process';
import {
  headerNames,
  headersFor,
  namesOf,
  needsCode,
  needsProcessor,
  newTarget,
  ODD,
  pathOf,
  queryOf,
  UNKNOWN,
  wellFormed,
  type Headers,
  type Names,
  type Target,
} from '../support/routes';
import { sampled } from '../support/sampled';

/**
 * Tests which credentials are accepted. The tests are generated from the contract table. For every route they send credentials that are
 * similar to the right one but invalid, in requests about existing rows, rows of another product and missing rows.
 */

serveInProcess();

type Guarded = 'admin' | 'product' | 'portal';

/** Credentials that are similar to the right one but invalid, by name. */
const near = (kind: Guarded, right: string): [string, Headers][] => {
  const name = headerNames[kind];
  const other = headerNames[kind === 'admin' ? 'product' : 'admin'];
  return [
    ['an empty one', { [name]: '' }],
    ['a wrong one', { [name]: 'wrong' }],
    ['a part of it', { [name]: right.slice(0, -1) }],
    ['it and more', { [name]: `${right}x` }],
    ['it in another case', { [name]: right === right.toLowerCase() ? right.toUpperCase() : right.toLowerCase() }],
    ['it in quotes', { [name]: `"${right}"` }],
    ['it before a character that is not a plain space', { [name]: `${right}\u00a0` }],
    ['it with a scheme', { [name]: `Bearer ${right}` }],
    ['it encoded', { [name]: Buffer.from(right).toString('base64') }],
    ['it twice in one header', { [name]: `${right}, ${right}` }],
    ['it before a wrong one', { [name]: [right, 'wrong'] }],
    ['two wrong ones', { [name]: ['wrong', 'wrong too'] }],
    ['a very long one', { [name]: 'x'.repeat(8000) }],
    ['one that is not ASCII', { [name]: 'schlüssel' }],
    ['it under the header of the other kind', { [other]: right }],
    ['it as a bearer token', { Authorization: `Bearer ${right}` }],
    ['it as a user', { Authorization: `Basic ${Buffer.from(`${right}:`).toString('base64')}` }],
    ['it as a cookie', { Cookie: `${name}=${right}` }],
  ];
};

const rows = endpoints.map((row): [string, Endpoint] => [`${row.method} ${row.path}`, row]);
const guarded = rows.filter(
  (pair): pair is [string, Endpoint & { credential: Guarded }] =>
    pair[1].credential === 'admin' || pair[1].credential === 'product' || pair[1].credential === 'portal',
);

let shop: Target;
let other: Target;
beforeAll(async () => {
  [shop, other] = await Promise.all([newTarget(), newTarget()]);
});

describe.each(sampled(guarded))('nobody uses %s without its credential', (_name, row) => {
  const name = headerNames[row.credential];
  const place = guarded.findIndex(([, other]) => other === row);

  test('every other credential gets the same response, whether or not the row exists', async () => {
    const right = String(headersFor(row, shop)[name]);
    const otherKind: Headers =
      row.credential === 'admin' ? { [headerNames.product]: shop.product.api_key } : { [headerNames.admin]: adminToken() };
    const presented: [string, Headers][] = [
      ['nothing', {}],
      ['the credential of the other kind', otherKind],
      ...near(row.credential, right),
    ];
    const targets: [string, Names][] = [
      ['own', namesOf(shop)],
      ['foreign', namesOf(other)],
      ['unknown', UNKNOWN],
      ['odd', ODD],
    ];
    // The response for a missing portal is 404 with any credential.
    if (row.credential === 'portal') targets.splice(2);

    // On each route, each credential is sent with only one target. The next credential gets the next target, and the next route starts with
    // another target. Therefore, on all routes together, every credential is sent with every target many times.
    for (const [turn, [what, headers]] of presented.entries()) {
      const [target, names] = targets[(place + turn) % targets.length]!;
      const answer = await wellFormed(row, names, headers);
      expect({ what, target, text: answer.text }).toEqual({ what, target, text: JSON.stringify({ detail: errors.unauthorized.detail }) });
      expectError(answer, 'unauthorized');
    }
  });

  test('a malformed request without a valid credential gets the same response', async () => {
    const headers = { [name]: 'wrong' };
    const garbage = { method: row.method, headers, ...(takesBody(row) && { body: '{"' }) };
    for (const names of row.credential === 'portal' ? [namesOf(shop), namesOf(other)] : [namesOf(shop), UNKNOWN, ODD]) {
      expectError(await send(pathOf(row, names), garbage), 'unauthorized');
      expectError(await send(`${pathOf(row, names)}?limit=x&limit=y&cursor=%00`, { method: row.method, headers }), 'unauthorized');
    }
  });

  test('a credential in a query string or a body is ignored', async () => {
    const right = String(headersFor(row, shop)[name]);
    for (const key of [name, name.toLowerCase()]) {
      const path = `${pathOf(row, namesOf(shop))}?${key}=${right}`;
      expectError(await send(path, { method: row.method, ...(takesBody(row) && { body: { [key]: right } }) }), 'unauthorized');
    }
  });
});

/** DELETE routes come last, because the other routes need the rows that they delete. */
const deletingLast = [...rows].sort(([, a], [, b]) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

test.each(sampled(deletingLast.filter(([, row]) => !needsProcessor(row) && !needsCode(row))))(
  "%s accepts any spelling of its header's name, and spaces around its value",
  async (_name, row) => {
    for (const spell of [(name: string) => name.toLowerCase(), (name: string) => name.toUpperCase()]) {
      const headers = Object.fromEntries(
        Object.entries(headersFor(row, shop)).map(([name, value]) => [spell(name), `  ${String(value)}\t`]),
      );
      const { status } = await send(`${pathOf(row, namesOf(shop))}${queryOf(row, namesOf(shop))}`, {
        method: row.method,
        headers,
        ...(takesBody(row) && { body: '[]' }),
      });
      // A repeated DELETE finds no row, so 404 is expected as well.
      expect([row.status, 422, ...(row.method === 'DELETE' ? [404] : []), ...(row.name === 'createSigningKey' ? [409] : [])]).toContain(
        status,
      );
    }
  },
);

/** Requests for trials, purchases and sign-ins are left out, because they name neither a license key nor a license type. */
const WITHOUT_KEY = ['startTrial', 'getPurchase', 'createActivationRequest', 'pollActivationRequest'];
const naming = rows.filter(
  ([, row]) => (row.credential === 'product' && !WITHOUT_KEY.includes(row.name)) || 'license_type_id' in (row.examples.request ?? {}),
);
test.each(sampled(naming))('%s gives the same response for another product’s row and for a missing one', async (_name, row) => {
  const headers = { 'X-Svc-Admin-Token': adminToken(), 'X-API-Key': shop.product.api_key };
  const ask = ({ key, type }: Names): Promise<Answer<unknown>> => wellFormed(row, { ...namesOf(shop), key, type }, headers);
  const foreign = await ask(namesOf(other));
  const unknown = await ask(UNKNOWN);
  expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text]);
  expect(foreign.text).toMatch(/"detail"|"valid":false/);
});
