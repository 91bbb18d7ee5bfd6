import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { ownTable } from '../support/own-table';

/**
 * What support needs when a buyer writes a mail: the buyer's licenses, of every product. (docs/spec/licenses.md, Search across products)
 */

interface Row {
  readonly id: number;
  readonly activations: readonly { readonly fingerprint: string }[];
}

let service: EventHarness;
let products: [Product, Product];
beforeAll(async () => {
  service = startEventHarness(await ownTable());
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

test('a device is found with the licenses to which it is bound now, not with those that it was freed from', async () => {
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

test('the search is for one thing: none, two and malformed ones are refused', async () => {
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
