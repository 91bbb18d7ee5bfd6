import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';

/**
 * Tests lists of licenses that are sorted or filtered by expiry. Operators use these lists to find the buyers whom they want to contact. A
 * list must be complete and in order, with any page size (docs/spec/licenses.md, Lists by expiry).
 */

captureLogs();
const DAY = 86_400_000;

let service: EventHarness;
let product: Product;
/** Days until each license expires; null: never. Two licenses expire at the same instant. */
const terms = [30, null, 10, 40, null, 20, 20, 5] as const;
const ids: number[] = [];
let now = 0;
beforeAll(async () => {
  service = startEventHarness(await ownTable());
  now = service.now();
  product = await service.newProduct();
  const neighbour = await service.newProduct();
  for (const [place, days] of terms.entries()) {
    const expires_at = days === null ? null : new Date(now + days * DAY).toISOString();
    const { id, key } = await product.license({
      expires_at: expires_at ?? new Date(now + DAY).toISOString(),
      customer_email: place % 2 ? 'ada@example.com' : null,
    });
    if (days === null) await service.ok('updateLicense', { params: { id }, body: { expires_at: null } });
    await neighbour.license({ expires_at });
    await product.activate(key, 'fingerprint-1');
    ids.push(id);
  }
  await service.ok('suspendLicense', { params: { id: ids[2]! } });
});
afterAll(() => service.close());

const at = (days: number): string => new Date(now + days * DAY).toISOString();

/** The indexes (in `terms`) of the licenses that a list returns, page by page. */
async function places(query: Readonly<Record<string, string>>): Promise<number[][]> {
  const pages: number[][] = [];
  for (let next: Readonly<Record<string, string>> | undefined = query; next && pages.length < 50; ) {
    const { status, body, headers } = await service.call('listLicenses', { params: { id: product.id }, query: next });
    expect({ status, body }).toMatchObject({ status: 200 });
    const rows = body as unknown as { id: number; activations: unknown[] }[];
    for (const { id, activations } of rows) expect(activations).toHaveLength(ids.indexOf(id) < terms.length ? 1 : 0);
    pages.push(rows.map(({ id }) => ids.indexOf(id)));
    const link: string | undefined = headers['Link'];
    next = link === undefined ? undefined : Object.fromEntries(new URL(link.slice(1, link.indexOf('>')), 'http://x').searchParams);
  }
  return pages;
}

const inPages = (rows: readonly number[], limit: number): number[][] =>
  rows.length === 0
    ? [[]]
    : Array.from({ length: Math.ceil(rows.length / limit) }, (_, page) => rows.slice(page * limit, (page + 1) * limit));

const lists: [Record<string, string>, number[]][] = [
  [{ sort: 'expires_at' }, [7, 2, 5, 6, 0, 3, 1, 4]],
  [{ sort: 'expires_at', direction: 'desc' }, [3, 0, 6, 5, 2, 7, 4, 1]],
  [{ sort: 'expires_at', status: 'active' }, [7, 5, 6, 0, 3, 1, 4]],
  [{ sort: 'expires_at', customer_email: 'ADA@example.com' }, [7, 5, 3, 1]],
  [{ sort: 'expires_at', customer_email: 'ADA@example.com', direction: 'desc' }, [3, 5, 7, 1]],
  [{ sort: 'expires_at', expires_after: '20', expires_before: '40' }, [5, 6, 0]],
  [{ sort: 'expires_at', expires_before: '20', direction: 'desc' }, [2, 7]],
  [{ expires_after: '20' }, [0, 3, 5, 6]],
  [{ expires_before: '30', direction: 'desc' }, [7, 6, 5, 2]],
  [{ expires_before: '30', status: 'suspended' }, [2]],
  [{ expires_after: '10', customer_email: 'ada@example.com' }, [3, 5]],
  [{ expires_after: '40', expires_before: '10' }, []],
  [{ expires_after: '41', sort: 'expires_at' }, []],
  [{ sort: 'expires_at', seats: 'unused' }, []],
  [{ sort: 'expires_at', created_after: '0', status: 'active' }, [7, 5, 6, 0, 3, 1, 4]],
  [{ sort: 'expires_at', created_before: '0' }, []],
];
test.each(lists.map(([filter, expected], place) => [filter, expected, 1 + (place % 3)] as const))(
  '%j lists the matching licenses, in order, in full pages',
  async (filter, expected, size) => {
    const query = Object.fromEntries(
      Object.entries(filter).map(([name, value]) => [name, /^(?:expires|created)_/.test(name) ? at(Number(value)) : value]),
    );
    for (const limit of [size, 50]) {
      const pages = await places({ ...query, limit: String(limit) });
      // A page that ends with the last license may be followed by an empty page.
      expect({ limit, pages: pages.length > 1 ? pages.filter((page) => page.length > 0) : pages }).toEqual({
        limit,
        pages: inPages(expected, limit),
      });
    }
  },
);

test('after a renewal, or a change to never, a license is found under its new expiry only', async () => {
  const { id } = await product.license({ expires_at: at(100) });
  ids.push(id);
  const place = ids.length - 1;
  expect(await places({ expires_after: at(99) })).toEqual([[place]]);
  await service.ok('renewLicense', { params: { id }, body: { days: 100 } });
  expect(await places({ expires_after: at(99), expires_before: at(101) })).toEqual([[]]);
  expect(await places({ expires_after: at(199), sort: 'expires_at' })).toEqual([[place]]);
  await service.ok('reissueLicense', { params: { id } });
  const { body } = await service.call('listLicenses', {
    params: { id: product.id },
    query: { expires_after: at(199), sort: 'expires_at' },
  });
  expect(body).toHaveLength(1);
  await service.ok('updateLicense', { params: { id }, body: { expires_at: null } });
  expect(await places({ expires_after: at(0) })).not.toContain(place);
});

test('a cursor of another sort order, or an invalid time, is refused with the name of the field', async () => {
  const list = (query: Record<string, string>) => service.call('listLicenses', { params: { id: product.id }, query });
  const cursorOf = async (query: Record<string, string>): Promise<string> =>
    new URL(/<(.*)>/.exec((await list({ ...query, limit: '1' })).headers['Link'] ?? '')?.[1] ?? '', 'http://x').searchParams.get(
      'cursor',
    ) ?? '';
  const foreign: Record<string, string>[] = [
    { cursor: await cursorOf({}), sort: 'expires_at' },
    { cursor: await cursorOf({ sort: 'expires_at' }) },
  ];
  for (const query of foreign) {
    expect(await list(query)).toMatchObject({ status: 422, body: { detail: expect.stringContaining('cursor') as unknown } });
  }
  for (const name of ['expires_before', 'expires_after', 'created_before', 'created_after', 'seats'])
    expect(await list({ [name]: 'tomorrow' })).toMatchObject({ status: 422, body: { detail: expect.stringContaining(name) as unknown } });
  expect((await list({ sort: 'name' })).status).toBe(422);
});
