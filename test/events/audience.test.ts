import type { LicenseView } from '../../lambdas/contract/resources';
import { maintain as worker } from '../../lambdas/contract/workers';
import type { Distribution } from '../../lambdas/domain/audience';
import { DAY_MS } from '../../lambdas/domain/time';
import { handler } from '../../lambdas/events/maintain';
import { countAudiences } from '../../lambdas/store/stats/audience';
import { asWorker } from '../support/declared-access';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { untilNoon } from '../support/start';

/** Vendors decide by the audience which versions and platforms they still support. Each device must count, and none twice. */

captureLogs();

interface Audience {
  readonly counted_at: string;
  readonly devices: number;
  readonly versions: Distribution;
  readonly platforms: Distribution;
  readonly countries: Distribution;
}
/** What an app reports about its device. */
interface Report {
  readonly version?: string;
  readonly platform?: string;
  readonly country?: string;
}

let service: EventHarness;
let product: Product;
beforeEach(async () => {
  service = startEventHarness(await ownTable());
  service.advance(untilNoon(service.now()));
  product = await service.newProduct();
});
afterEach(() => service.close());

const proven = { Referer: 'test-originSecret' };
const of = () => ({ params: { id: product.id }, apiKey: product.api_key });
const headersOf = ({ country }: Report, proof: object = proven) => ({
  ...(country !== undefined && { 'CloudFront-Viewer-Country': country, ...proof }),
});
const activate = (key: string, fingerprint: string, report: Report = {}) =>
  service.ok('activate', {
    ...of(),
    headers: headersOf(report),
    body: { key, fingerprint, platform: report.platform, ...(report.version !== undefined && { release: { version: report.version } }) },
  });
const validate = (key: string, fingerprint: string, report: Report = {}, proof: object = proven) =>
  service.ok('validate', {
    ...of(),
    headers: headersOf(report, proof),
    query: { key, fingerprint, ...(report.version !== undefined && { version: report.version }) },
  });
const days = (count: number): void => service.advance(count * DAY_MS);
const read = async (): Promise<Audience | null> =>
  (await service.ok<{ audience: Audience | null }>('getOverview', { params: { id: product.id } })).audience;
/** Runs the worker, with only the access to the table that its row of the contract declares. */
async function counted(): Promise<Audience | null> {
  service.advance(60_000);
  await handler({}, { app: asWorker(worker, service.app) });
  return read();
}
const all = (values: Readonly<Record<string, number>>, unknown = 0): Distribution => ({
  values: Object.entries(values).map(([value, devices]) => ({ value, devices })),
  other: 0,
  unknown,
});

test('a product whose devices were never counted has no audience', async () => {
  expect(await counted()).toBeNull();
});

test('a device counts once in seven days, with the version, platform and country of its latest report', async () => {
  const { key } = await product.license();
  await activate(key, 'device-1', { version: 'v1.0', platform: 'macos', country: 'DE' });
  expect(await counted()).toMatchObject({
    devices: 1,
    versions: all({ '1.0': 1 }),
    platforms: all({ macos: 1 }),
    countries: all({ DE: 1 }),
  });
  for (const version of ['1.0', '1.1', '1.2']) {
    days(1);
    await validate(key, 'device-1', { version, country: 'NL' });
    // Only the first validation of a day stores what it reports.
    await validate(key, 'device-1', { version: '9.9', country: 'US' });
  }
  expect(await counted()).toMatchObject({
    devices: 1,
    versions: all({ '1.2': 1 }),
    platforms: all({ macos: 1 }),
    countries: all({ NL: 1 }),
  });
  days(6);
  expect(await counted()).toMatchObject({ devices: 1 });
  days(1);
  expect(await counted()).toEqual({
    counted_at: expect.any(String),
    devices: 0,
    versions: all({}),
    platforms: all({}),
    countries: all({}),
  });
});

test('a country counts only if the distribution has sent it, and a report without a version keeps the known version', async () => {
  const { key } = await product.license({ max_seats: 5 });
  await activate(key, 'device-1', { version: '1.0', country: 'DE' });
  days(1);
  await validate(key, 'device-1', { country: 'DE' }, {});
  await validate(key, 'device-1', { country: 'DE' });
  expect(await counted()).toMatchObject({ versions: all({ '1.0': 1 }), platforms: all({}, 1), countries: all({}, 1) });
});

test('devices that are freed, activated again, moved to another key or removed by a reset count once or not at all', async () => {
  const { id, key } = await product.license({ max_seats: 5 });
  for (const device of ['device-1', 'device-2', 'device-3']) await activate(key, device, { version: '1.0' });
  await product.deactivate(key, 'device-1');
  await product.deactivate(key, 'device-2');
  await activate(key, 'device-2', { version: '2.0' });
  expect(await counted()).toMatchObject({ devices: 2, versions: all({ '1.0': 1, '2.0': 1 }) });
  const moved = await service.ok<LicenseView>('reissueLicense', { params: { id } });
  expect(await counted()).toMatchObject({ devices: 0 });
  await activate(moved.key, 'device-2', { version: '2.0' });
  await activate(moved.key, 'device-3', { version: '3.0' });
  expect(await counted()).toMatchObject({ devices: 2, versions: all({ '2.0': 1, '3.0': 1 }) });
  await service.ok('resetLicense', { params: { id } });
  await activate(moved.key, 'device-3');
  expect(await counted()).toMatchObject({ devices: 1 });
});

test('an export contains what a device reported, and after an erasure the device counts without it', async () => {
  const customer_email = 'ada@example.com';
  const { key } = await product.license({ customer_email });
  await activate(key, 'device-1', { version: '1.0', platform: 'macos', country: 'DE' });
  const { licenses } = await service.ok<{ licenses: LicenseView[] }>('exportCustomer', { body: { customer_email } });
  expect(licenses[0]?.activations).toMatchObject([{ app_version: '1.0', country: 'DE' }]);
  await service.ok('eraseCustomer', { body: { customer_email } });
  await service.recover();
  expect(await counted()).toMatchObject({ devices: 1, versions: all({}, 1), platforms: all({}, 1), countries: all({}, 1) });
});

test('a sign-in and a trial report the version and the country, too', async () => {
  await service.ok('createLicenseType', {
    params: { id: product.id },
    body: { name: 'Trial', kind: 'trial', duration_days: 14, self_service: true, max_major: 2 },
  });
  const trial = (fingerprint: string, version: string) =>
    service.call('startTrial', { ...of(), headers: headersOf({ country: 'DE' }), body: { fingerprint, release: { version } } });
  expect(await trial('device-1', '2.1')).toMatchObject({ status: 201 });
  expect(await trial('device-2', '3.0')).toMatchObject({ status: 403, headers: { 'X-Svc-Error-Code': 'release_not_covered' } });
  expect(await counted()).toMatchObject({ devices: 1, versions: all({ '2.1': 1 }), countries: all({ DE: 1 }) });
});

test('a request that reports version and country costs no further call of the table', async () => {
  const { key } = await product.license({ max_seats: 5 });
  const calls = async (call: () => Promise<unknown>): Promise<number> => {
    const before = service.sent.length;
    await call();
    return service.sent.length - before;
  };
  const report = { version: '1.0', platform: 'macos', country: 'DE' };
  await activate(key, 'device-0');
  expect(await calls(() => activate(key, 'device-1', report))).toBe(await calls(() => activate(key, 'device-2')));
  days(1);
  // The first request after a minute also reads the product.
  await validate(key, 'device-0');
  expect(await calls(() => validate(key, 'device-1', report))).toBe(await calls(() => validate(key, 'device-2')));
  expect(await calls(() => validate(key, 'device-1', report))).toBe(await calls(() => validate(key, 'device-2')));
});

test('counting that is interrupted after every few devices ends with the same numbers', async () => {
  const licenses = [await product.license({ max_seats: 9 }), await product.license({ max_seats: 9 })];
  for (const { key } of licenses)
    for (const device of ['device-1', 'device-2', 'device-3', 'device-4']) await activate(key, device, { version: device });
  const whole = await counted();
  expect(whole).toMatchObject({ devices: 8 });
  intercept(service.client, async ({ operation, input }, next) => {
    if (operation === 'Query' && input['IndexName'] === 'list') Object.assign(input, { Limit: 3 });
    return next();
  });
  service.advance(60_000);
  let turns = 0;
  for (let seen = whole; seen?.counted_at === whole?.counted_at; turns += 1) {
    // The first question is asked before the first page.
    let asked = 0;
    await countAudiences(
      service.app.table,
      [product.id],
      () => (asked += 1) > 1,
      (_, fault) => {
        throw fault;
      },
    );
    seen = await read();
  }
  expect(turns).toBe(4);
  expect(await read()).toEqual({ ...whole, counted_at: expect.any(String) as string });
});

test('the devices of a large product are not read in every run, and a fault in one product does not stop the others', async () => {
  const { key } = await product.license({ max_seats: 9 });
  await activate(key, 'device-1');
  const other = await service.newProduct();
  await other.activate((await other.license()).key, 'device-1');
  let reads: unknown[] = [];
  intercept(service.client, async ({ operation, input }, next) => {
    const list = operation === 'Query' && (input['ExpressionAttributeValues'] as Record<string, { S?: string }> | undefined)?.[':list']?.S;
    if (list === `LICENSES#${product.id}`) throw new Error('The device cannot be read');
    if (typeof list === 'string' && list.startsWith('LICENSES#')) reads.push(list);
    return next();
  });
  const run = (): Promise<void> => handler({}, { app: asWorker(worker, service.app) });
  await expect(run()).rejects.toThrow('The devices of 1 products could not be counted');
  expect(reads).toEqual([`LICENSES#${other.id}`]);
  // Two rows were read, so the next run is 0.2 s later.
  service.advance(100);
  reads = [];
  await expect(run()).rejects.toThrow();
  expect(reads).toEqual([]);
  service.advance(100);
  await expect(run()).rejects.toThrow();
  expect(reads).toEqual([`LICENSES#${other.id}`]);
});
