import { LICENSE_ID, licenseRowsKey } from '../../lambdas/store/keys';
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

describe('a search by the beginning of a term', () => {
  const finds = (q: string): Promise<number[]> => found({ q });

  test('finds the licenses of all products, newest first, in any spelling', async () => {
    const [first, second] = products;
    const a = await first.license({ customer_email: 'Grace.Hopper@Navy.example', metadata: { name: 'Grace Hopper' } });
    service.advance(1000);
    const b = await second.license({ customer_email: 'gracie.h@example.com', key: 'NAVY-COBOL-0001' });
    service.advance(1000);
    const long = { name: 'Grâce Kelly', notes: 'x'.repeat(1000) };
    const c = await first.license({ metadata: long });
    expect(await finds('gra')).toEqual([c.id, b.id, a.id, expect.any(Number)]);
    expect(await finds('GRACE.HOPPER@navy')).toEqual([a.id]);
    expect(await finds('Grace Hopper <grace.hopper@navy.example>')).toEqual([a.id]);
    expect(await finds('grace hop')).toEqual([a.id]);
    expect(await finds('GRÂCE')).toEqual([c.id, a.id]);
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

  test('reads a limited number of terms and licenses for a text that hundreds of thousands of licenses have', async () => {
    const [product] = products;
    const late = startEventHarness(table, { clock: service.now });
    const asked = { queries: 0, keys: 0 };
    let id = 9_000_000_000;
    intercept(late.client, async ({ operation, input }, next) => {
      for (const { Keys = [] } of Object.values((input['RequestItems'] ?? {}) as Record<string, { Keys?: unknown[] }>))
        asked.keys += Keys.length;
      const index = input['IndexName'];
      if (operation !== 'Query' || index === undefined || input['Limit'] === undefined) return next();
      asked.queries += 1;
      const Items = Array.from({ length: 10_000 }, () => ({
        pk: { S: `LICENSE_ID#${(id += 1)}` },
        sk: { S: 'x' },
        [`${index as string}_sk`]: { S: `smith#0000000000000001#${product.id}` },
      }));
      return { Items, ScannedCount: 10_000, LastEvaluatedKey: Items[0] };
    });
    const { status, headers } = await late.call('searchLicenses', { query: { q: 'smith' } });
    late.close();
    expect({ status, next: headers['Link'] !== undefined }).toEqual({ status: 200, next: true });
    expect(asked.queries).toBeLessThanOrEqual(6);
    expect(asked.keys).toBeLessThanOrEqual(1100);
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

  /** Activates a device with a name. The search finds it as soon as a worker has handled the event of the activation. */
  const named = async (product: Product, key: string, fingerprint: string, name: string): Promise<void> => {
    const { status } = await service.call('activate', {
      params: { id: product.id },
      apiKey: product.api_key,
      body: { key, fingerprint, name },
    });
    expect(status).toBe(200);
    await service.recover();
  };

  test('finds a word of the name or company, a domain and a device, without accents and differences of case', async () => {
    const [first, second] = products;
    const a = await first.license({
      customer_email: 'jose@Northwind.example',
      metadata: { name: 'José de la Peña-Örtiz', company: 'Straße & Söhne ｇｍｂｈ', notes: 'x'.repeat(500) },
    });
    const b = await second.license({ customer_email: 'ann@northwind.example', metadata: { name: 7, company: ['no text'] } });
    await named(second, b.key, 'machine-words', 'Ánn’s MacBook (work)');
    for (const q of ['pena', 'PEÑA-ÖRTIZ', 'ortiz', 'jose de', 'strasse', 'SÖHNE GmbH', 'gmbh'])
      expect([q, await finds(q)]).toEqual([q, [a.id]]);
    for (const q of ['anns mac', "ann's macbook"]) expect([q, await finds(q)]).toEqual([q, [b.id]]);
    for (const q of ['@north', '@NORTHWIND.example']) expect([q, await finds(q)]).toEqual([q, [b.id, a.id]]);
    for (const q of ['ena', 'northwind', 'macbook', '@wind', 'no text']) expect([q, await finds(q)]).toEqual([q, []]);
  });

  test('finds the first four words of a name and of a company, without words that are too short for a search', async () => {
    const [product] = products;
    const words = (beginning: string): string => `Al ${Array.from('abcdef', (letter) => `de ${beginning}${letter}`).join(' ')}`;
    const { id } = await product.license({ metadata: { name: words('limitname'), company: words('limitcompany') } });
    for (const beginning of ['limitname', 'limitcompany'])
      for (const letter of 'abcdef') expect([letter, await finds(beginning + letter)]).toEqual([letter, letter <= 'c' ? [id] : []]);
    expect(await finds('al de limit')).toEqual([id]);
  });

  test('finds the members of a team by the domain of their addresses', async () => {
    const [product] = products;
    const type = { name: 'Team', kind: 'lifetime', binding: 'user' };
    const { id: license_type_id } = await service.ok<{ id: number }>('createLicenseType', { params: { id: product.id }, body: type });
    const { id } = await product.license({ license_type_id });
    const member = { email: 'kim@contoso.example', invite: false };
    const added = await service.ok<{ id: string }>('putMember', { params: { id }, body: member });
    expect(await finds('@contoso')).toEqual([id]);
    await service.ok('removeMember', { params: { id, member_id: added.id } });
    expect(await finds('@contoso')).toEqual([]);
  });

  test('keeps no entry of a name, a company, a domain or a device that has changed', async () => {
    const [product] = products;
    const before = { name: 'Zulu Whiskey', company: 'Xray Victor Uniform', notes: 'x'.repeat(500) };
    const { id, key } = await product.license({ customer_email: 'a@oldplace.example', metadata: before });
    const change = (body: object) => service.ok('updateLicense', { params: { id }, body });
    const entries = async (): Promise<string> =>
      (await everyRow(table))
        .flatMap((row) =>
          Object.entries(row)
            .filter(([name]) => name.endsWith('_sk'))
            .map(String),
        )
        .join('\n');
    await named(product, key, 'machine-changed', 'Tango One');
    for (const q of ['whiskey', 'victor', '@oldpl', 'tango']) expect([q, await finds(q)]).toEqual([q, [id]]);
    expect(await entries()).toMatch(/whiskey[^]*victor|victor[^]*whiskey/);
    await change({ customer_email: 'a@newplace.example' });
    await change({ metadata: { name: 'Zulu Sierra' } });
    await named(product, key, 'machine-changed', 'Romeo One');
    for (const q of ['sierra', '@newpl', 'romeo']) expect([q, await finds(q)]).toEqual([q, [id]]);
    expect(await entries()).not.toMatch(/whiskey|victor|oldplace|tango/);
    await change({ customer_email: null });
    await product.deactivate(key, 'machine-changed');
    await change({ metadata: {} });
    expect(await entries()).not.toMatch(/sierra|newplace|romeo/);
    // A row without terms would stay forever, although nothing reads it.
    const { pk } = licenseRowsKey(id, LICENSE_ID);
    expect((await everyRow(table)).filter((row) => row['pk'] === pk).map(({ sk }) => sk)).toEqual([LICENSE_ID]);
  });

  test('a device that was freed before its event was handled gets no entry', async () => {
    const [product] = products;
    const { key } = await product.license();
    const body = { key, fingerprint: 'machine-late', name: 'Quebec Late' };
    await service.call('activate', { params: { id: product.id }, apiKey: product.api_key, body });
    await product.deactivate(key, 'machine-late');
    await service.recover();
    expect((await everyRow(table)).filter((row) => JSON.stringify(row).includes('quebec late'))).toEqual([]);
  });

  test('has pages, and the list of a product finds the same licenses', async () => {
    const [product, other] = products;
    const ids: number[] = [];
    for (let count = 0; count < 53; count += 1) ids.unshift((await product.license({ customer_email: `crowd-${count}@example.com` })).id);
    await service.ok('revokeLicense', { params: { id: ids[1]! } });
    const elsewhere = await other.license({ customer_email: 'crowd-other@example.com' });
    const all = async (name: 'searchLicenses' | 'listLicenses', query: Readonly<Record<string, string>>): Promise<number[][]> => {
      const pages: number[][] = [];
      for (let next: Readonly<Record<string, string>> | undefined = { q: 'crowd-', ...query }; next; ) {
        const { status, body, headers } = await service.call(name, { params: { id: product.id }, query: next });
        expect(status).toBe(200);
        pages.push((body as unknown as Row[]).map(({ id }) => id));
        const link: string | undefined = headers['Link'];
        next = link === undefined ? undefined : Object.fromEntries(new URL(link.slice(1, link.indexOf('>')), 'http://x').searchParams);
      }
      return pages;
    };
    const found = [elsewhere.id, ...ids];
    expect(await all('searchLicenses', {})).toEqual([found.slice(0, 50), found.slice(50)]);
    expect((await all('searchLicenses', { limit: '20' })).map((page) => page.length)).toEqual([20, 20, 14]);
    expect((await all('listLicenses', { direction: 'desc', limit: '30' })).flat()).toEqual(ids);
    expect((await all('listLicenses', { limit: '30' })).flat()).toEqual(ids.toReversed());
    expect((await all('listLicenses', { status: 'revoked' })).flat()).toEqual([ids[1]]);
    expect((await service.call('listLicenses', { params: { id: product.id }, query: { q: 'crowd-', sort: 'expires_at' } })).status).toBe(
      422,
    );
  });

  test('finds the licenses of a whole fingerprint, but not of its beginning', async () => {
    const [product] = products;
    const { id, key } = await product.license();
    await product.activate(key, 'machine-whole-0001');
    expect([await finds('machine-whole-0001'), await finds('machine-whole')]).toEqual([[id], []]);
  });

  test('must have 3 to 200 characters', async () => {
    for (const query of [{ q: 'ab' }, { q: 'x'.repeat(201) }, { q: 'abc', key: 'some-key-0001' }])
      expect({ query, ...(await search(query as never)) }).toMatchObject({ query, status: 422 });
    expect(await finds('#1234')).toEqual([]);
  });
});
