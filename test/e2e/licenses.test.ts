import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { licenseColumns } from '../../lambdas/contract/license-columns';
import type { LicenseTypeView, LicenseView, ProductView } from '../../lambdas/contract/resources';
import { csvLine, parseCsv } from '../../lambdas/domain/csv';
import { adminToken, baseUrl, everyPage, newProduct, newType, post } from '../support/http';
import { manyLicenses } from '../support/many-licenses';
import { bundledCli } from '../support/program';
import { until } from '../support/until';

/** Tests `npm run licenses` against the local stack (docs/spec/operator.md, Export and import; docs/migration.md). */

const root = resolve(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'licenses-'));
afterAll(() => rmSync(folder, { recursive: true }));

const program = bundledCli();

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

function start(...args: string[]): { readonly child: ReturnType<typeof spawn>; readonly ended: Promise<Run> } {
  const child = spawn(process.execPath, [program, 'licenses', ...args], {
    cwd: root,
    env: { ...process.env, SVC_ADMIN_TOKEN: adminToken() },
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text));
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output, errors })) };
}

const run = (command: 'export' | 'import', productId: number, ...args: string[]): Promise<Run> =>
  start(command, '--product', String(productId), '--base-url', baseUrl(), ...args).ended;

const licensesOf = async ({ id }: ProductView): Promise<LicenseView[]> =>
  (await everyPage<LicenseView>(`/v1/products/${id}/licenses`)).flat();

let files = 0;
function fileOf(text: string): string {
  const path = join(folder, `file-${(files += 1)}.csv`);
  writeFileSync(path, text);
  return path;
}

const HEAD = ['key', 'license_type', 'customer_email', 'metadata', 'expires_at', 'max_seats', 'features', 'created_at', 'status'];

async function newTarget(): Promise<{ product: ProductView; type: LicenseTypeView; forever: LicenseTypeView }> {
  const product = await newProduct();
  return {
    product,
    type: await newType(product, { name: 'Team', kind: 'subscription', duration_days: 365, max_seats: 3, features: ['export'] }),
    forever: await newType(product, { name: 'Personal' }),
  };
}

test('npm starts the program for export and import', () =>
  expect(execFileSync('npm', ['run', '--silent', 'licenses', '--', '--help'], { cwd: root, encoding: 'utf8' })).toContain(
    'Exports and imports licenses',
  ));

/** The fields of a license that don't change when it is exported and imported. */
const portable = ({
  key,
  customer_email,
  metadata,
  expires_at,
  seats,
  features,
  created_at,
  status,
  license_type: { name },
}: LicenseView): object => ({ key, customer_email, metadata, expires_at, seats, features, created_at, status, name });
const byKey = (a: LicenseView, b: LicenseView): number => a.key.localeCompare(b.key);

test('an export of one product can be imported into another product with every field, and a second import changes nothing', async () => {
  const [from, to] = [await newTarget(), await newTarget()];
  const issue = async (fields: object): Promise<LicenseView> =>
    (await post<LicenseView>(`/v1/products/${from.product.id}/licenses`, { mail: false, ...fields })).body;
  const team = from.type.id;
  await issue({
    license_type_id: team,
    customer_email: '+49@example.com',
    metadata: { order: 'A-1', text: '=1\r\n"x"' },
    key: '-DASH-0001',
  });
  await issue({
    license_type_id: team,
    expires_at: '2031-05-06T07:08:09.123Z',
    max_seats: 0,
    features: [],
    created_at: '2020-01-02T03:04:05.006Z',
  });
  for (const [end, type] of [
    ['revoke', from.forever.id],
    ['suspend', team],
  ] as const)
    await post(`/v1/licenses/${(await issue({ license_type_id: type })).id}/${end}`);

  const exported = await run('export', from.product.id);
  expect([exported.code, exported.errors]).toEqual([0, expect.stringContaining('exported: 4')]);
  expect(parseCsv(exported.output)[0]?.cells).toEqual(licenseColumns.map(({ name }) => name).filter((name) => name !== 'member_list'));
  const file = fileOf(exported.output);
  const imported = await run('import', to.product.id, file);
  expect(imported).toMatchObject({
    code: 0,
    output: expect.stringContaining('4 licenses imported, 0 were already in the product, 0 refused.') as string,
  });
  const copies = await licensesOf(to.product);
  expect(copies.sort(byKey).map(portable)).toEqual((await licensesOf(from.product)).sort(byKey).map(portable));

  const again = await run('import', to.product.id, file);
  expect(again).toMatchObject({
    code: 0,
    output: expect.stringContaining('0 licenses imported, 4 were already in the product, 0 refused.') as string,
  });
  expect((await licensesOf(to.product)).sort(byKey)).toEqual(copies);
});

test('devices move with their licenses, as CSV and as JSON: nobody has to activate again', async () => {
  const from = await newTarget();
  const { body: license } = await post<LicenseView>(`/v1/products/${from.product.id}/licenses`, { license_type_id: from.type.id });
  const devices = ['machine-1', 'machine-2'].map((fingerprint) => ({
    fingerprint,
    name: 'Studio',
    platform: 'mac',
    activated_at: '2026-01-02T03:04:05.006Z',
  }));
  for (const device of devices) await post(`/v1/licenses/${license.id}/activations`, device);
  for (const format of ['csv', 'ndjson']) {
    const to = await newTarget();
    const file = join(folder, `devices.${format}`);
    writeFileSync(file, (await run('export', from.product.id, '--format', format)).output);
    expect(await run('import', to.product.id, file)).toMatchObject({ code: 0 });
    // The license has three seats, so the repetition would add the devices again if it did not find them.
    expect(await run('import', to.product.id, file)).toMatchObject({ code: 0 });
    const [copy] = await licensesOf(to.product);
    expect([copy?.key, copy?.activations]).toMatchObject([license.key, devices]);
  }
});

test('with --json, a program gets the numbers and the refused rows, and nothing else', async () => {
  const { product } = await newTarget();
  const file = fileOf('key,license_type\nJSON-KEY-0001,Team\nJSON-KEY-0002,Nope\n');
  const refused = [{ line: 3, problem: 'license_type: the product has no license type "Nope"' }];
  const result = (of: object): string => `${JSON.stringify(of)}\n`;
  expect(await run('import', product.id, '--json', file)).toMatchObject({
    code: 1,
    output: result({ rows: 2, created: 0, existing: 0, refused }),
  });
  expect(await run('import', product.id, '--json', '--skip-refused', file)).toMatchObject({
    code: 1,
    output: result({ rows: 2, created: 1, existing: 0, refused }),
  });
});

test('an export contains all pages under one header, follows the filters of the list, and writes JSON lines on request', async () => {
  const { product, type } = await newTarget();
  // The list has more licenses than one page can contain.
  await manyLicenses(type, 1005);
  const licenses = await licensesOf(product);
  expect(licenses.length).toBeGreaterThan(1005);
  const keys = (of: readonly LicenseView[]): string[] => of.map(({ key }) => key).sort();
  const all = parseCsv((await run('export', product.id)).output);
  expect(
    all
      .slice(1)
      .map(({ cells: [key = ''] }) => key)
      .sort(),
  ).toEqual(keys(licenses));
  const lines = (await run('export', product.id, '--format', 'ndjson', '--status', 'revoked', '--direction', 'desc')).output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LicenseView);
  expect(keys(lines)).toEqual(keys(licenses.filter(({ status }) => status === 'revoked')));
  expect(lines.map(({ id }) => id)).toEqual(lines.map(({ id }) => id).sort((x, y) => y - x));
});

test('if one row is wrong, nothing is written; each wrong row is reported with its line, and the report can be corrected and imported', async () => {
  const { product } = await newTarget();
  const rows = [
    ['GOOD-KEY-0001', 'Team', '=cmd@example.com', '{"note":\r\n"in two lines"}'],
    ['BAD-KEY-0001', 'Nope', 'ada@example.com', ''],
    ['BAD-KEY-0002', 'Team', 'nobody', ''],
    ['GOOD-KEY-0002', 'Team', '', ''],
  ];
  const file = fileOf([HEAD.slice(0, 4), ...rows].map(csvLine).join(''));
  const refused = await run('import', product.id, file);
  expect(refused.code).toBe(1);
  expect(refused.errors).toContain(
    'line 4: license_type: the product has no license type "Nope"\nline 5: customer_email: must be a valid e-mail address\n',
  );
  expect(refused.output).toContain('Nothing was imported.');
  expect(await licensesOf(product)).toEqual([]);
  // A cell from a file must not clear the screen or imitate a line of the command's output.
  const cell = 'Nope\u001b[2J\u009b2J\r\n3 licenses imported';
  const { errors } = await run('import', product.id, fileOf(csvLine(HEAD.slice(0, 2)) + csvLine(['GOOD-KEY-0003', cell])));
  expect(errors).toContain(String.raw`"Nope\u001b[2J\u009b2J\u000d\u000a3 licenses imported"`);

  const report = file.replace(/csv$/, 'refused.csv');
  // The report of an import contains keys and addresses, so only the owner of the file may read it. This is true even if the file existed
  // before with other permissions.
  expect(statSync(report).mode & 0o777).toBe(0o600);
  chmodSync(report, 0o644);
  expect((await run('import', product.id, file)).code).toBe(1);
  expect(statSync(report).mode & 0o777).toBe(0o600);
  expect(parseCsv(readFileSync(report, 'utf8')).map(({ cells }) => cells.slice(0, 4))).toEqual([
    ['line', 'problem', 'key', 'license_type'],
    ['4', 'license_type: the product has no license type "Nope"', 'BAD-KEY-0001', 'Nope'],
    ['5', 'customer_email: must be a valid e-mail address', 'BAD-KEY-0002', 'Team'],
  ]);
  writeFileSync(
    report,
    readFileSync(report, 'utf8')
      .replace('nobody', 'nobody@example.com')
      .replace(/"Nope"""|,Nope,/g, (text) => text.replace('Nope', 'Team')),
  );
  expect((await run('import', product.id, report)).code).toBe(0);
  const others = await run('import', product.id, '--skip-refused', file);
  expect(others).toMatchObject({
    code: 1,
    output: expect.stringContaining('2 licenses imported, 0 were already in the product, 2 refused.') as string,
  });
  const licenses = await licensesOf(product);
  expect(licenses.map(({ key }) => key).sort()).toEqual(rows.map(([key]) => key).sort());
  // The export put an apostrophe before the text so that a spreadsheet does not run it as a formula. The import removes the apostrophe.
  expect(licenses.find(({ key }) => key === 'GOOD-KEY-0001')).toMatchObject({
    customer_email: '=cmd@example.com',
    metadata: { note: 'in two lines' },
  });
});

test('a killed import continues at the same row, so every row becomes one license with the requested status', async () => {
  const { product } = await newTarget();
  const keyed = Array.from({ length: 120 }, (_, place) => [
    `KILLED-${String(place).padStart(4, '0')}`,
    'Team',
    `buyer${place}@example.com`,
    place % 4 === 0 ? 'suspended' : place % 7 === 0 ? 'revoked' : 'active',
    '',
  ]);
  // These imported rows have no keys, and each order has three licenses.
  const ordered = Array.from({ length: 60 }, (_, place) => [
    '',
    'Personal',
    `order${Math.floor(place / 3)}@example.com`,
    'active',
    `ORDER-${Math.floor(place / 3)}`,
  ]);
  const rows = keyed.flatMap((row, place) => [row, ...ordered.slice(place, place + 1)]);
  const file = fileOf([['key', 'license_type', 'customer_email', 'status', 'order'], ...rows].map(csvLine).join(''));
  const args = ['import', '--product', String(product.id), '--base-url', baseUrl(), '--rate', '60', file];
  for (const stop of [10, 60, 100]) {
    const { child, ended } = start(...args);
    await until(`${stop} licenses are imported`, async () => (await licensesOf(product)).length >= stop);
    child.kill('SIGKILL');
    expect((await ended).code).toBeNull();
  }
  const before = (await licensesOf(product)).length;
  expect(before).toBeLessThan(rows.length);
  const { code, output } = await start(...args).ended;
  const [, created, there] = /^(\d+) licenses imported, (\d+) were already in the product, 0 refused/m.exec(output) ?? [];
  expect([code, Number(created) + Number(there)]).toEqual([0, rows.length]);
  // After the test has counted the licenses (`before`), the service may still execute the last requests of the killed import.
  expect(Number(there)).toBeGreaterThanOrEqual(before);

  const licenses = await licensesOf(product);
  expect(licenses).toHaveLength(rows.length);
  const shown = ({ license_type, customer_email, status, metadata: { order = '' } }: LicenseView): string =>
    JSON.stringify([license_type.name, customer_email, status, order]);
  expect(licenses.map(shown).sort()).toEqual(rows.map(([, ...cells]) => JSON.stringify(cells)).sort());
  expect(
    licenses
      .map(({ key }) => key)
      .filter((key) => key.startsWith('KILLED'))
      .sort(),
  ).toEqual(keyed.map(([key]) => key));
});

test('two imports of the same file at the same time issue every license only once', async () => {
  const { product } = await newTarget();
  const rows = Array.from({ length: 80 }, (_, place) =>
    place % 2 === 0 ? [`TWICE-${String(place).padStart(4, '0')}`, 'Team', ''] : ['', 'Team', `ORDER-${place}`],
  );
  const file = fileOf([['key', 'license_type', 'order'], ...rows].map(csvLine).join(''));
  const runs = await Promise.all([1, 2].map(() => run('import', product.id, file)));
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  expect(await licensesOf(product)).toHaveLength(80);
});

test('a row that the service refuses is reported with its line, and the other rows are imported', async () => {
  const { product, type } = await newTarget();
  const { body } = await post<LicenseView>(`/v1/products/${product.id}/licenses`, { license_type_id: type.id, key: 'MOVED-KEY-0001' });
  await post(`/v1/licenses/${body.id}/reissue`);
  const result = await run('import', product.id, fileOf('key,license_type\nMOVED-KEY-0001,Team\nMOVED-KEY-0002,Team\n'));
  expect(result).toMatchObject({
    code: 1,
    errors: expect.stringContaining('line 2: The key is taken by another license of this product') as string,
    output: expect.stringContaining('1 license imported, 0 were already in the product, 1 refused.') as string,
  });
});

test('a file of another service is imported once: additional columns become metadata, and rows that are not licenses are reported', async () => {
  const { product } = await newTarget();
  const args = ['--from', 'gumroad', '--license-type', '*=Personal', '--license-type', '(Yearly)=Team', 'docs/migration/gumroad.csv'];
  const { code, output } = await run('import', product.id, ...args);
  expect([code, output]).toEqual([0, expect.stringContaining('6 licenses imported, 0 were already in the product')]);
  for (const reason of [
    'a further charge for a license of this file (line 6)',
    'a sale without a license key (line 9)',
    'the line of totals (line 10)',
  ])
    expect(output).toContain(`1 row skipped: ${reason}`);
  const gift = (await licensesOf(product)).find(({ customer_email }) => customer_email === 'giftee@example.com');
  expect(gift).toMatchObject({
    license_type: { name: 'Personal' },
    created_at: '2024-04-01T18:00:00.000Z',
    metadata: { order: 'mV7pLq9sDeR4t1_B5kNnXw==', gumroad_order_number: '531002', name: '=Grace Example' },
  });
  expect((await run('import', product.id, ...args)).output).toContain('0 licenses imported, 6 were already in the product');
});

test('the import waits for a busy service as long as the service asks, and issues no license twice', async () => {
  const issued: string[] = [];
  let calls = 0;
  const respond = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void =>
    void response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  const service = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => void (text += piece));
    request.on('end', () => {
      if (request.method === 'GET')
        return respond(
          response,
          200,
          request.url?.includes('license-types')
            ? [{ id: 1, name: 'Team', max_seats: 0, duration_days: null, features: [], archived: false }]
            : [],
        );
      calls += 1;
      if (calls === 1)
        return respond(response, 429, { detail: 'Too many requests' }, { 'Retry-After': '0', 'X-Svc-Error-Code': 'rate_limited' });
      if (calls === 2) return respond(response, 503, { detail: 'Busy' }, { 'Retry-After': new Date(0).toUTCString() });
      const { key } = JSON.parse(text) as { key: string };
      if (issued.includes(key)) throw new Error(`${key} was asked for twice`);
      issued.push(key);
      respond(response, 201, { id: issued.length, key, status: 'active', expires_at: null, activations: [] });
    });
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const file = fileOf('key,license_type\nBUSY-KEY-0001,Team\nBUSY-KEY-0002,Team\n');
  const { code } = await start('import', '--product', '1', '--base-url', address, file).ended;
  expect([code, issued.sort(), calls]).toEqual([0, ['BUSY-KEY-0001', 'BUSY-KEY-0002'], 4]);
  service.close();
  service.closeAllConnections();
});

test.each<[string, () => string[], RegExp]>([
  ['no product', () => ['export'], /'--product <id>' not specified/],
  ['no file', () => ['import', '--product', '1'], /missing required argument 'file'/],
  ['an unknown option', () => ['export', '--product', '1', '--what'], /--what/],
  ['an option of the other command', () => ['export', '--product', '1', '--from', 'keygen'], /unknown option '--from'/],
  ['a file that is not there', () => ['import', '--product', '1', '--base-url', baseUrl(), join(folder, 'none.csv')], /none\.csv/],
  [
    'a wrong token',
    () => ['export', '--product', '1', '--base-url', baseUrl(), '--admin-token', 'wrong'],
    /does not accept this admin token/,
  ],
  ['an unknown product', () => ['export', '--product', '9007199254740991', '--base-url', baseUrl()], /There is no such product/],
  [
    'what npm prints in front of an export',
    () => ['import', '--product', '1', '--base-url', baseUrl(), fileOf('\n> license-key-service@0.1.0 licenses\n> node\n\nkey\n')],
    /npm run --silent/,
  ],
])('%s ends the program with an error message', async (_case, args, sentence) => {
  const { code, errors } = await start(...args()).ended;
  expect([code === 0, errors]).toEqual([false, expect.stringMatching(sentence)]);
});

test('an import without refusals leaves no report file behind', () => expect(existsSync(join(folder, 'file-1.refused.csv'))).toBe(false));
