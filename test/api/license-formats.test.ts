import { licenseColumns } from '../../lambdas/contract/license-columns';
import type { LicenseView } from '../../lambdas/contract/resources';
import { parseCsv, unguarded } from '../../lambdas/domain/csv';
import {
  everyPage,
  expectError,
  get,
  newLicense,
  newShop,
  newType,
  nextPage,
  patch,
  post,
  send,
  type Answer,
  type Shop,
} from '../support/http';
import { serveInProcess } from '../support/in-process';

/** Tests the license list as CSV and as newline-delimited JSON (docs/spec/conventions.md, List formats). */

serveInProcess();

let shop: Shop;
let path: string;
beforeAll(async () => {
  shop = await newShop({ kind: 'subscription', duration_days: 30, max_seats: 2, features: ['export', 'sync'] });
  path = `/v1/products/${shop.product.id}/licenses`;
});

const CSV = 'text/csv; charset=utf-8; header=present';
const accept = (type: string, at = path): Promise<Answer<unknown>> => get<unknown>(at, { Accept: type });

/** The rows of a CSV page as an import reads them. Each row is an object that maps the columns' names to the values of the cells. */
function rowsOf({ text }: Answer<unknown>): Record<string, string>[] {
  const [head, ...rows] = parseCsv(text).map(({ cells }) => cells.map(unguarded));
  // The column with the members is only in lists with `include=members`.
  expect(head).toEqual(licenseColumns.map(({ name }) => name).filter((name) => name !== 'member_list'));
  return rows.map((cells) => Object.fromEntries(cells.map((cell, place) => [head?.[place] ?? '', cell])));
}

test("CSV contains what an import needs, and a spreadsheet does not run a buyer's data as a formula", async () => {
  const metadata = { note: 'a "quoted", note\r\nin two lines', formula: '=1+1' };
  await newLicense(shop.type, {
    key: '-DASH-KEY-0001',
    customer_email: "'=cmd@example.com",
    metadata,
    max_seats: 7,
    features: ['b', 'a'],
    limits: { projects: 50, cores: 8, '4k': 1 },
  });
  await newLicense(shop.type, { key: 'CSV-KEY-00000002', customer_email: '+49@example.com', expires_at: null, language: 'de' });
  const forever = await newType(shop.product, { name: '=SUM(A1)' });
  await newLicense(forever, { key: 'CSV-KEY-00000003' });
  const licenses = (await get<LicenseView[]>(path)).body;

  const answer = await accept('text/csv');
  expect([answer.status, answer.headers['content-type'], answer.headers['vary'], answer.headers['cache-control']]).toEqual([
    200,
    CSV,
    'Accept',
    'no-store',
  ]);
  expect(rowsOf(answer)).toEqual(
    licenses.map(
      ({ id, key, license_type, customer_email, metadata: given, expires_at, seats, features, limits, created_at, status, language }) => ({
        key,
        license_type: license_type.name,
        customer_email: customer_email ?? '',
        metadata: JSON.stringify(given),
        expires_at: expires_at ?? '',
        max_seats: String(seats.max),
        updates_until: '',
        max_major: '',
        features: features.join(' '),
        limits: Object.keys(limits).length > 0 ? '4k=1 cores=8 projects=50' : '',
        created_at,
        status,
        order: '',
        language: language ?? '',
        devices: '',
        id: String(id),
        seats_used: '0',
      }),
    ),
  );
  expect(parseCsv(answer.text).flatMap(({ cells }) => cells.filter((cell) => /^[=+\-@\t\r\n]/.test(cell)))).toEqual([]);
  expect(answer.text).toContain("''=cmd@example.com");
});

test('a license that never expires although its type has a duration still never expires after an export and an import', async () => {
  const license = await newLicense(shop.type, { key: 'CSV-NEVER-0001' });
  await patch(`/v1/licenses/${license.id}`, { expires_at: null });
  const [row] = rowsOf(await accept('text/csv', `${path}?key=${license.key}`));
  expect(row?.['expires_at']).toBe('never');
});

test('newline-delimited JSON contains the rows of the list, one per line', async () => {
  const answer = await accept('application/x-ndjson');
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
  const lines = answer.text.split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual((await get(path)).body);
});

test('pages have the links of the list, each CSV page names its columns, and filters apply', async () => {
  const { product, type } = await newShop();
  for (let place = 0; place < 4; place += 1) await newLicense(type, { customer_email: 'ada@example.com' });
  const list = `/v1/products/${product.id}/licenses?customer_email=ada%40example.com&limit=3`;
  const ids = (await get<LicenseView[]>(list.replace('&limit=3', ''))).body.map(({ id }) => String(id));
  const first = await accept('text/csv', list);
  const second = await accept('text/csv', nextPage(first) ?? '');
  expect([rowsOf(first), rowsOf(second)].map((rows) => rows.map(({ id }) => id))).toEqual([ids.slice(0, 3), ids.slice(3)]);
  expect(nextPage(second)).toBeUndefined();
  expect(rowsOf(await accept('text/csv', `/v1/products/${product.id}/licenses?status=revoked`))).toEqual([]);
  expect((await accept('application/x-ndjson', `/v1/products/${product.id}/licenses?status=revoked`)).text).toBe('');
});

test.each([
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
  ['text/csv, */*', CSV],
  ['text/csv;q=0.5, application/json', 'application/json'],
  ['text/csv;q=0.9, application/json;q=0.1', CSV],
  ['TEXT/CSV', CSV],
  ['text/*', CSV],
  ['text/csv;q=0', 'application/json'],
  ['application/x-ndjson, text/csv;q=0.5', 'application/x-ndjson'],
  ['image/png', 'application/json'],
  [',;q', 'application/json'],
])('Accept: %s is served %s', async (wanted, type) => expect((await accept(wanted, `${path}?limit=1`)).headers['content-type']).toBe(type));

test('refusals and other routes are JSON, regardless of `Accept`', async () => {
  expectError(await accept('text/csv', `${path}?limit=0`), 'invalid_request', /limit/);
  expectError(await accept('text/csv', '/v1/products/9007199254740991/licenses'), 'not_found');
  expectError(await send(path, { headers: { Accept: 'text/csv' } }), 'unauthorized');
  expect((await accept('text/csv', `/v1/licenses/${shop.license.id}`)).headers['content-type']).toBe('application/json');
});

test('a list of megabytes is divided into pages that fit into a response of Lambda, as JSON and as CSV, which is longer', async () => {
  const { product, type } = await newShop();
  // Each license has 16 KB as JSON, and twice as much when that JSON is escaped inside the function's response. In CSV each quote takes one
  // character more than in JSON, because the metadata is a JSON text within a CSV field.
  const metadata = { quotes: '"'.repeat(8000) };
  for (let begun = 0; begun < 180; begun += 20) {
    await Promise.all(Array.from({ length: 20 }, () => newLicense(type, { metadata })));
  }
  const listed = await everyPage<LicenseView>(`/v1/products/${product.id}/licenses`);
  expect(listed.map((page) => Buffer.byteLength(JSON.stringify(page))).filter((bytes) => bytes > 5_000_000)).toEqual([]);
  const ids = listed.flat().map(({ id }) => id);
  expect([listed.length > 1, ids]).toEqual([true, [...new Set(ids)].sort((a, b) => a - b)]);
  expect(ids).toHaveLength(181);
  let found = 0;
  let pages = 0;
  for (let next: string | undefined = `/v1/products/${product.id}/licenses`; next !== undefined; pages += 1) {
    const answer: Answer<unknown> = await accept('text/csv', next);
    expect(answer.status).toBe(200);
    expect(Buffer.byteLength(JSON.stringify(answer.text))).toBeLessThan(6_000_000);
    found += rowsOf(answer).length;
    next = nextPage(answer);
  }
  expect(found).toBe(181);
  expect(pages).toBeGreaterThan(1);
});

test('a list filtered by an unknown order is empty, and a filter with an empty order is refused', async () => {
  expect((await get(`${path}?order=in_1234`)).body).toEqual([]);
  expectError(await get(`${path}?order=`), 'invalid_request', /order/);
  expectError(await post(`${path}?order=x`, {}), 'invalid_request');
});
