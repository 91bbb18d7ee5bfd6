import { encodeCursor } from '../../lambdas/contract/paging';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { intercept } from '../support/intercept';
import { ownTable } from '../support/own-table';
import { everyRow } from '../support/table';

/**
 * Tests the search in the licenses of all products. Support uses this search to find the licenses of a buyer who has written a mail
 * (docs/spec/licenses.md, Search across products).
 */

interface Row {
  readonly id: number;
  readonly activations: readonly { readonly fingerprint: string }[];
}

let table: string;
let service: EventHarness;
let products: [Product, Product];
beforeAll(async () => {
  table = await ownTable();
  service = startEventHarness(table);
  products = [await service.newProduct(), await service.newProduct()];
});
afterAll(() => service.close());

const search = (query: Readonly<Record<string, string>>) => service.call('searchLicenses', { query });
const found = async (query: Readonly<Record<string, string>>): Promise<number[]> => {
  const { status, body } = await search(query);
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as unknown as Row[]).map(({ id }) => id);
};

test('licenses of every product are found by e-mail, key and fingerprint, oldest first, page by page', async () => {
  const [first, second] = products;
  const a = await first.license({ customer_email: 'Ada@Example.com' });
  const b = await second.license({ customer_email: 'ada@example.com', created_at: '2020-01-01T00:00:00Z', key: 'SHARED-KEY-0001' });
  const c = await first.license({ customer_email: 'ada@example.com', key: 'shared-key-0001' });
  await first.license({ customer_email: 'grace@example.com' });
  expect(await found({ customer_email: 'ADA@example.com' })).toEqual([b.id, a.id, c.id]);
  expect(await found({ key: 'sharedkey0001' })).toEqual([b.id, c.id]);
  expect(await found({ key: a.key.toLowerCase() })).toEqual([a.id]);
  for (const query of [{ key: 'unknown-key-1' }, { key: '?' }, { customer_email: 'nobody@example.com' }, { fingerprint: 'machine-none' }])
    expect(await found(query as never)).toEqual([]);

  const pages: number[][] = [];
  for (let query: Readonly<Record<string, string>> | undefined = { customer_email: 'ada@example.com', limit: '1' }; query; ) {
    const { body, headers } = await search(query);
    pages.push((body as unknown as Row[]).map(({ id }) => id));
    const link: string | undefined = headers['Link'];
    query = link === undefined ? undefined : Object.fromEntries(new URL(link.slice(1, link.indexOf('>')), 'http://x').searchParams);
  }
  expect(pages).toEqual([[b.id], [a.id], [c.id]]);
});

test('a search for a device finds the licenses to which it is bound now, and no earlier licenses', async () => {
  const [first, second] = products;
  const licenses = [await first.license(), await second.license(), await first.license(), await first.license()];
  for (const [place, { key }] of licenses.entries()) await (place === 1 ? second : first).activate(key, 'machine-search');
  const [a, b, c, d] = licenses.map(({ id }) => id) as [number, number, number, number];
  expect(await found({ fingerprint: 'machine-search' })).toEqual([a, b, c, d]);
  await service.ok('resetLicense', { params: { id: a } });
  await service.ok('reissueLicense', { params: { id: c } });
  await first.deactivate(licenses[3]!.key, 'machine-search');
  expect(await found({ fingerprint: 'machine-search' })).toEqual([b]);
});

test('a search needs exactly one valid term', async () => {
  for (const query of [
    {},
    { key: 'a-key-0001', customer_email: 'a@b.example' },
    { fingerprint: 'x' },
    { customer_email: '' },
    { order: 'A-1', cursor: 'abc' },
  ]) {
    expect({ query, ...(await search(query as never)) }).toMatchObject({ query, status: 422 });
  }
});

test('an order that no processor has sent finds nothing', async () => {
  expect(await found({ order: 'in_1234' })).toEqual([]);
});

describe('a search by the beginning of a key, an address, a name or an order', () => {
  const finds = (q: string): Promise<number[]> => found({ q });

  test('finds the licenses of all products, newest first, in any spelling', async () => {
    const [first, second] = products;
    const a = await first.license({ customer_email: 'Grace.Hopper@Navy.example', metadata: { name: 'Grace Hopper' } });
    service.advance(1000);
    const b = await second.license({ customer_email: 'gracie.h@example.com', key: 'NAVY-COBOL-0001' });
    service.advance(1000);
    const long = { name: 'Grâce Kelly', notes: 'x'.repeat(1000) };
    const c = await first.license({ metadata: long });
    expect(await finds('gra')).toEqual([b.id, a.id, expect.any(Number)]);
    expect(await finds('GRACE.HOPPER@navy')).toEqual([a.id]);
    expect(await finds('Grace Hopper <grace.hopper@navy.example>')).toEqual([a.id]);
    expect(await finds('grace hop')).toEqual([a.id]);
    expect(await finds('GRÂCE')).toEqual([c.id]);
    expect(await finds(a.key.slice(0, 12).toLowerCase())).toEqual([a.id]);
    expect(await finds(a.key.replaceAll('-', ' '))).toEqual([a.id]);
    expect(await finds('navyco')).toEqual([b.id]);
    for (const q of ['opper', 'gracex', '   x-1', 'ver']) expect([q, await finds(q)]).toEqual([q, []]);
    const bound = await service.ok<{ token: string }>('createToken', { body: { name: 'one', scopes: ['read'], product_id: first.id } });
    const headers = { 'X-Svc-Admin-Token': bound.token };
    const theirs = await service.call('searchLicenses', { query: { q: 'grace.h' }, headers });
    expect((theirs.body as unknown as Row[]).map(({ id }) => id)).toEqual([a.id]);
  });

  test('with a token of one product finds its licenses, even if thousands of terms of other products come first', async () => {
    const [first, second] = products;
    const { id } = await second.license({ customer_email: 'zoe@crowded.example' });
    const bound = await service.ok<{ token: string }>('createToken', { body: { name: 'two', scopes: ['read'], product_id: second.id } });
    const late = startEventHarness(table, { clock: service.now });
    let isCrowded = false;
    intercept(late.client, async ({ operation, input }, next) => {
      if (operation !== 'Query' || input['IndexName'] !== 'email') return next();
      delete input['ExclusiveStartKey'];
      if (isCrowded) return next();
      isCrowded = true;
      const item = {
        pk: { S: 'LICENSE_ID#9007199254740991' },
        sk: { S: 'x' },
        email_sk: { S: `zoe@crowd.example#0000000000000001#${first.id}` },
      };
      return { Items: Array.from({ length: 10_000 }, () => item), ScannedCount: 10_000, LastEvaluatedKey: item };
    });
    const headers = { 'X-Svc-Admin-Token': bound.token };
    const { body } = await late.call('searchLicenses', { query: { q: 'zoe@crowd' }, headers });
    late.close();
    expect([isCrowded, (body as unknown as Row[]).map((row) => row.id)]).toEqual([true, [id]]);
  });

  test('finds a license by its current values only', async () => {
    const [product] = products;
    const { id, key } = await product.license({
      customer_email: 'before@moved.example',
      metadata: { name: 'Before Moving', notes: 'x'.repeat(500) },
    });
    const change = (body: object) => service.ok('updateLicense', { params: { id }, body });
    expect([await finds('before@'), await finds('before m')]).toEqual([[id], [id]]);
    await change({ customer_email: 'after@moved.example' });
    expect([await finds('before@'), await finds('after@m'), await finds('before m')]).toEqual([[], [id], [id]]);
    await change({ metadata: { name: 'After Moving' } });
    expect([await finds('before m'), await finds('after mov')]).toEqual([[], [id]]);
    await change({ metadata: { name: 'After Moving', notes: 'x'.repeat(500) } });
    expect(await finds('after mov')).toEqual([id]);
    const { key: newKey } = await service.ok<{ key: string }>('reissueLicense', { params: { id } });
    expect([await finds(key.slice(0, 11)), await finds(newKey.slice(0, 11))]).toEqual([[], [id]]);
    await service.ok('eraseCustomer', { body: { customer_email: 'after@moved.example' } });
    expect([await finds('after'), await finds(newKey.slice(0, 11))]).toEqual([[], [id]]);
    expect(JSON.stringify((await everyRow(table)).filter(({ pk }) => pk === `LICENSE_ID#${id}`))).not.toMatch(/after|moved/i);
  });

  test('finds at most 50 licenses', async () => {
    const [product] = products;
    const ids: number[] = [];
    for (let count = 0; count < 53; count += 1) ids.unshift((await product.license({ customer_email: `crowd-${count}@example.com` })).id);
    expect(await finds('crowd-')).toEqual(ids.slice(0, 50));
    expect((await search({ q: 'crowd-', limit: '7' })).body).toHaveLength(7);
    expect((await search({ q: 'crowd-' })).headers['Link']).toBeUndefined();
  });

  test('must have 3 to 200 characters', async () => {
    for (const query of [
      { q: 'ab' },
      { q: 'x'.repeat(201) },
      { q: 'abc', key: 'some-key-0001' },
      { q: 'abc', cursor: encodeCursor('1-1') },
    ])
      expect({ query, ...(await search(query as never)) }).toMatchObject({ query, status: 422 });
    expect(await finds('#1234')).toEqual([]);
  });
});
