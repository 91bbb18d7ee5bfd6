import { randomBytes } from 'node:crypto';
import { handler as sweep } from '../../lambdas/events/sweep';
import { startHarness, type CallResult, type Harness } from '../support/harness';
import { intercept } from '../support/intercept';
import { eventsOf } from '../support/table';

/** Tests what apps and the vendor's backend consume (docs/spec/meters.md, Meters). */

const DAY = 86_400_000;
const DEVICE = 'machine-1';

const open: Harness[] = [];
afterAll(() => open.forEach((service) => service.close()));

interface Consumption {
  readonly meter?: string;
  readonly amount?: number;
  readonly id?: string;
}

const newId = (): string => randomBytes(8).toString('hex');
const meter = (name: string, included: number, terms: object = {}): object => ({ name, included, period: 'none', ...terms });

/** A license with the given meters, activated on one device. */
async function openLicense(meters: readonly object[], type: object = {}, fields: object = {}) {
  const service = startHarness();
  open.push(service);
  const slug = `meters-${randomBytes(6).toString('hex')}`;
  const product = (await service.call('createProduct', { body: { name: slug, slug } })).body;
  const params = { id: Number(product['id']) };
  const apiKey = String(product['api_key']);
  const newType = async (terms: object): Promise<number> => {
    const body = { name: newId(), kind: 'subscription', duration_days: 365, max_seats: 2, ...terms };
    return Number((await service.call('createLicenseType', { params, body })).body['id']);
  };
  const typeId = await newType({ meters, ...type });
  const license = (await service.call('createLicense', { params, body: { license_type_id: typeId, ...fields } })).body;
  const id = Number(license['id']);
  let key = String(license['key']);
  const app = (name: string, body: object): Promise<CallResult> =>
    service.call(name, { params, apiKey, body: { key, fingerprint: DEVICE, ...body } });
  if (type && !('starts' in type)) await app('activate', {});
  const admin = (name: string, body?: object, more: object = {}): Promise<CallResult> =>
    service.call(name, { params: { id, ...more }, ...(body && { body }) });
  return {
    service,
    id,
    productId: params.id,
    newType,
    admin,
    app,
    activate: () => app('activate', {}),
    useKey: (other: string) => (key = other),
    consume: ({ meter: name = 'exports', amount = 1, id: once = newId() }: Consumption = {}, more: object = {}) =>
      app('consume', { meter: name, amount, id: once, ...more }),
    meters: async () => (await admin('listLicenseMeters')).body as unknown as readonly Record<string, unknown>[],
    used: async (name = 'exports') =>
      ((await admin('listLicenseMeters')).body as unknown as readonly Record<string, unknown>[]).find((one) => one['meter'] === name)?.[
        'used'
      ],
    reached: async () =>
      (await eventsOf(id))
        .filter(({ event }) => event === 'license.meter_reached')
        .map(({ payload }) => (payload as { data: { meter?: object } }).data.meter),
  };
}

const code = ({ status, headers }: CallResult): [number, string | undefined] => [status, headers['X-Svc-Error-Code']];

test('an amount is counted, and the app sees what is left and when the meter begins again', async () => {
  const { consume, app, meters } = await openLicense(
    [meter('exports', 100, { period: 'month' })],
    {},
    { created_at: '2026-01-31T10:00:00Z', expires_at: '2090-01-01T00:00:00Z' },
  );
  const { status, body } = await consume({ amount: 30 });
  expect([status, body]).toMatchObject([200, { meter: 'exports', used: 30, included: 100, remaining: 70, period: 'month' }]);
  expect((await app('listAppMeters', {})).body).toEqual([body]);
  expect(await meters()).toEqual([{ ...body, overage: 'refuse', returnable: false }]);
});

test('an amount that does not fit is refused as a whole; the refusal names the numbers and uses up no id', async () => {
  const { consume, admin, used } = await openLicense([meter('exports', 3)]);
  await consume({ amount: 2 });
  const id = newId();
  const refused = await consume({ amount: 2, id });
  expect(code(refused)).toEqual([429, 'meter_exhausted']);
  expect(refused.body['detail']).toMatch(/used 2, included 3, resets_at null/);
  expect(refused.headers['Retry-After']).toBeUndefined();
  expect(await used()).toBe(2);
  await admin('correctMeter', { add: -2 }, { name: 'exports' });
  expect((await consume({ amount: 2, id })).body).toMatchObject({ used: 2, remaining: 1 });
});

test('with overage allowed every amount counts, and nothing remains below 0', async () => {
  const { consume } = await openLicense([meter('exports', 3, { overage: 'allow' })]);
  expect((await consume({ amount: 5 })).body).toMatchObject({ used: 5, included: 3, remaining: 0 });
});

test('a repeated id consumes once and gets the first response, also from another device and under a new key, for 30 days', async () => {
  const { service, consume, app, admin, used, useKey } = await openLicense([meter('exports', 100), meter('renders', 5)]);
  const id = 'a repeated id ✓';
  const first = await consume({ amount: 7, id });
  await consume({ amount: 1 });
  await app('activate', { fingerprint: 'machine-2' });
  const repeated = await consume({ amount: 7, id }, { fingerprint: 'machine-2' });
  expect([repeated.status, repeated.body, repeated.headers['Idempotent-Replayed']]).toEqual([200, first.body, 'true']);
  expect(first.headers['Idempotent-Replayed']).toBeUndefined();
  for (const other of [{ amount: 8 }, { meter: 'renders', amount: 7 }])
    expect(code(await consume({ id, ...other }))).toEqual([409, 'idempotency_mismatch']);

  useKey(String((await admin('reissueLicense')).body['key']));
  await app('activate', {});
  expect(await used()).toBe(8);
  expect((await consume({ amount: 7, id })).headers['Idempotent-Replayed']).toBe('true');
  expect((await admin('consumeForLicense', { meter: 'exports', amount: 7, id })).body).toEqual(first.body);
  service.advance(30 * DAY - 1);
  expect((await consume({ amount: 7, id })).body).toEqual(first.body);
  service.advance(1);
  expect((await consume({ amount: 7, id })).body).toMatchObject({ used: 15 });
});

test('a repeat is recognized although the meter is used up since, or the request would now reach a threshold', async () => {
  const { consume, reached } = await openLicense([meter('exports', 10, { overage: 'allow' }), meter('renders', 2)]);
  const [a, b] = [newId(), newId()];
  await consume({ amount: 1, id: a });
  await consume({ amount: 6 });
  expect((await consume({ amount: 1, id: a })).body).toMatchObject({ used: 1 });
  await consume({ meter: 'renders', amount: 2, id: b });
  expect((await consume({ meter: 'renders', amount: 2, id: b })).status).toBe(200);
  expect(await reached()).toEqual([
    { name: 'renders', used: 2, included: 2, percent: 80 },
    { name: 'renders', used: 2, included: 2, percent: 100 },
  ]);
});

test('refusals come in the order of the specification', async () => {
  const { service, consume, app, admin, useKey } = await openLicense([meter('exports', 1)]);
  const used = newId();
  await consume({ amount: 1, id: used });
  expect(code(await consume({ meter: 'nothing' }, { fingerprint: 'machine-9' }))).toEqual([403, 'not_activated']);
  expect(code(await consume({ meter: 'nothing', id: used }))).toEqual([404, 'unknown_meter']);
  expect(code(await consume({ amount: -5, id: used }))).toEqual([409, 'idempotency_mismatch']);
  expect(code(await consume({ amount: -5 }))).toEqual([422, 'invalid_request']);
  expect(code(await consume({ amount: 5 }))).toEqual([429, 'meter_exhausted']);
  expect((await admin('listLicenseRefusals')).body).toMatchObject([{ reason: 'not_activated' }]);
  for (const id of ['short', ' leading-space', 'x'.repeat(65)]) expect(code(await consume({ id }))).toEqual([422, 'invalid_request']);
  for (const amount of [0, 1.5, 1_000_000_001]) expect(code(await consume({ amount }))).toEqual([422, 'invalid_request']);

  const { key: old } = (await admin('getLicense')).body;
  const { key } = (await admin('reissueLicense')).body;
  expect(code(await consume({ meter: 'nothing' }))).toEqual([403, 'license_revoked']);
  useKey(String(key));
  await admin('suspendLicense', {});
  expect(code(await consume())).toEqual([403, 'license_suspended']);
  expect(code(await app('listAppMeters', {}))).toEqual([403, 'license_suspended']);
  await admin('reinstateLicense');
  service.advance(366 * DAY);
  expect(code(await consume())).toEqual([403, 'license_expired']);
  expect((await admin('getLicense')).body['status']).toBe('expired');
  useKey(`${String(old)}0`);
  expect(code(await consume())).toEqual([404, 'not_found']);
});

test('only a returnable meter takes amounts back, and never below 0', async () => {
  const { consume } = await openLicense([meter('projects', 5, { returnable: true })]);
  const projects = (amount: number) => consume({ meter: 'projects', amount });
  await projects(5);
  expect(code(await projects(1))).toEqual([429, 'meter_exhausted']);
  expect((await projects(-2)).body).toMatchObject({ used: 3 });
  expect((await projects(-9)).body).toMatchObject({ used: 0, remaining: 5 });
});

test('each threshold is reported once in a period, by the request that reaches it', async () => {
  const { service, consume, admin, reached, used } = await openLicense([meter('exports', 10, { period: 'month', overage: 'allow' })]);
  const event = (used: number, percent: number, included = 10): object => ({ name: 'exports', used, included, percent });
  await consume({ amount: 7 });
  expect(await reached()).toEqual([]);
  await consume({ amount: 1 });
  await consume({ amount: 1 });
  expect(await reached()).toEqual([event(8, 80)]);
  // A change of terms reports nothing; the next consumption reports what is reached by then.
  await admin('updateLicense', { meters: [meter('exports', 9, { period: 'month', overage: 'allow' })] });
  expect([await used(), await reached()]).toEqual([9, [event(8, 80)]]);
  await consume({ amount: 1 });
  expect(await reached()).toEqual([event(8, 80), event(10, 100, 9)]);
  service.advance(31 * DAY);
  expect(await used()).toBe(0);
  await consume({ amount: 9 });
  expect((await reached()).slice(2)).toEqual([event(9, 80, 9), event(9, 100, 9)]);
});

test('a correction sets the number in every status, is in the audit log, and is repeated with its key only once', async () => {
  const { service, id, consume, admin, used, reached } = await openLicense([meter('exports', 10), meter('renders', 10)]);
  await consume({ amount: 3 });
  const correct = (body: object, name = 'exports', headers = {}): Promise<CallResult> =>
    service.call('correctMeter', { params: { id, name }, body, headers });
  expect((await correct({ used: 12 })).body).toMatchObject({ used: 12, remaining: 0, overage: 'refuse' });
  expect((await reached()).length).toBe(2);
  await admin('revokeLicense', {});
  const once = { 'Idempotency-Key': 'correction-1' };
  await correct({ add: -2 }, 'exports', once);
  expect((await correct({ add: -2 }, 'exports', once)).headers['Idempotent-Replayed']).toBe('true');
  // The same key for another meter is another request.
  expect((await correct({ add: 2 }, 'renders', once)).body).toMatchObject({ meter: 'renders', used: 2 });
  expect(await used()).toBe(10);
  expect((await correct({ add: -Number.MAX_SAFE_INTEGER })).body).toMatchObject({ used: 0 });
  expect((await correct({ used: Number.MAX_SAFE_INTEGER })).status).toBe(200);
  expect((await correct({ add: 1 })).body).toMatchObject({ used: Number.MAX_SAFE_INTEGER });
  for (const body of [{}, { used: 1, add: 1 }, { used: -1 }, { used: 1.5 }])
    expect(code(await correct(body))).toEqual([422, 'invalid_request']);
  expect(code(await correct({ used: 1 }, 'nothing'))).toEqual([404, 'unknown_meter']);
  const log = (await service.call('listAudit', { query: { license_id: String(id), action: 'correctMeter', limit: '1000' } }))
    .body as unknown as Record<string, unknown>[];
  expect(log.map(({ target, changes }) => [target, changes])).toContainEqual([
    `license/${id}/meters/exports`,
    [{ field: 'used', before: '3', after: '12' }],
  ]);
});

test("the vendor's backend consumes without a device and without an entry in the audit log", async () => {
  const { service, id, admin, used } = await openLicense([meter('exports', 2)], { starts: 'activation' });
  const body = { meter: 'exports', amount: 2, id: newId() };
  expect((await admin('consumeForLicense', body)).body).toMatchObject({ used: 2 });
  expect(code(await admin('consumeForLicense', { ...body, id: newId() }))).toEqual([429, 'meter_exhausted']);
  expect(await used()).toBe(2);
  expect((await service.call('listAudit', { query: { license_id: String(id), action: 'consumeForLicense' } })).body).toEqual([]);
});

describe('terms', () => {
  const perTerm = [meter('exports', 10, { period: 'term' })];

  test('a renewal with an empty body begins a term when the paid time ends; other renewals begin none', async () => {
    const { service, consume, admin, used, meters } = await openLicense(perTerm);
    await consume({ amount: 4 });
    const end = (await admin('getLicense')).body['expires_at'];
    expect(await meters()).toMatchObject([{ used: 4, resets_at: end }]);
    await admin('renewLicense', { days: 1 });
    await admin('renewLicense');
    const [{ resets_at } = {}] = await meters();
    expect(Date.parse(String(resets_at))).toBe(Date.parse(String(end)) + DAY);
    service.advance(366 * DAY - 1000);
    expect(await used()).toBe(4);
    service.advance(1000);
    expect(await used()).toBe(0);
    await consume({ amount: 9 });
    service.advance(400 * DAY);
    expect(await used()).toBe(9);
    await admin('renewLicense', {});
    expect(await used()).toBe(0);
  });

  test('the first activation begins a term, if the license waited for it', async () => {
    const { service, admin, activate, meters, used } = await openLicense(perTerm, { starts: 'activation' });
    await admin('consumeForLicense', { meter: 'exports', amount: 5, id: newId() });
    expect(await meters()).toMatchObject([{ used: 5, resets_at: null }]);
    service.advance(DAY);
    await activate();
    expect(await used()).toBe(0);
    expect(await meters()).toMatchObject([{ resets_at: (await admin('getLicense')).body['expires_at'] }]);
  });
});

test('a change of the type keeps what was consumed from meters of the same name and period; with another period they start at 0', async () => {
  const monthly = [meter('exports', 10, { period: 'month' })];
  const { newType, consume, admin, used } = await openLicense(monthly);
  const types = {
    larger: await newType({ meters: [meter('exports', 50, { period: 'month', overage: 'allow' })] }),
    none: await newType({}),
    whole: await newType({ meters: [meter('exports', 50)] }),
    monthly: await newType({ meters: monthly }),
  };
  const move = (type: keyof typeof types): Promise<CallResult> => admin('updateLicense', { license_type_id: types[type] });
  await consume({ amount: 4 });
  await move('larger');
  expect(await used()).toBe(4);
  await move('none');
  expect(code(await consume())).toEqual([404, 'unknown_meter']);
  await move('monthly');
  expect(await used()).toBe(4);
  // The meter leaves and returns with another period; then the first period returns.
  await move('none');
  await move('whole');
  expect(await used()).toBe(0);
  await move('monthly');
  expect(await used()).toBe(0);
  // The license's own meters stay.
  await admin('updateLicense', { meters: [meter('exports', 3, { period: 'month' })] });
  await move('larger');
  expect((await consume({ amount: 3 })).body).toMatchObject({ used: 3, included: 3 });
});

test.each([
  ['two meters with one name', [meter('exports', 1), meter('exports', 2)]],
  ['a returnable meter that begins again', [meter('exports', 1, { period: 'month', returnable: true })]],
  ['a bad name', [meter('Exports', 1)]],
  ['11 meters', Array.from({ length: 11 }, (_, place) => meter(`m${place}`, 1))],
])('%s is refused', async (_, meters) => {
  const { admin } = await openLicense([]);
  expect(code(await admin('updateLicense', { meters }))).toEqual([422, 'invalid_request']);
});

test('the overview counts each amount once, less what was really given back and without corrections', async () => {
  const { service, productId, consume, admin } = await openLicense([meter('exports.v-1', 100), meter('projects', 5, { returnable: true })]);
  const sweepAll = (): Promise<void> => sweep({}, { app: service.app });
  const id = newId();
  for (const once of [id, id]) await consume({ meter: 'exports.v-1', amount: 30, id: once });
  await consume({ meter: 'projects', amount: 2 });
  await sweepAll();
  await consume({ meter: 'projects', amount: -5 });
  await consume({ meter: 'projects', amount: 1 });
  await admin('correctMeter', { used: 99 }, { name: 'exports.v-1' });
  // A reissue between two runs loses nothing.
  await admin('reissueLicense');
  await Promise.all([sweepAll(), sweepAll()]);
  await sweepAll();
  const date = new Date(service.now()).toISOString().slice(0, 10);
  expect((await service.call('getOverview', { params: { id: productId } })).body['meters']).toEqual([
    { name: 'exports.v-1', total: 30, days: [{ date, amount: 30 }] },
    { name: 'projects', total: 1, days: [{ date, amount: 1 }] },
  ]);
});

test('a list in CSV shows the meters if the request asks for them; other formats stay as they are', async () => {
  const { service, productId, consume } = await openLicense([meter('renders', 5), meter('exports', 100)]);
  await consume({ amount: 37 });
  const list = async (accept: string, query: Readonly<Record<string, string>> = {}): Promise<string> =>
    (await service.call('listLicenses', { params: { id: productId }, query, headers: { Accept: accept } })).text;
  const [head = '', row = ''] = (await list('text/csv', { include: 'meters', limit: '1000' })).split('\r\n');
  expect([head.split(',').at(-1), row.split(',').at(-1)]).toEqual(['meters', 'exports=37/100 renders=0/5']);
  expect(await list('text/csv')).not.toContain('exports=');
  for (const format of ['application/json', 'application/x-ndjson'])
    expect(await list(format, { include: 'meters' })).toBe(await list(format));
});

describe('a change of plan while a request is being processed', () => {
  /** A license with a meter, and its change to another plan by another function instance. */
  const openPlans = async (from: object, to: object) => {
    const license = await openLicense([from]);
    const license_type_id = await license.newType({ meters: [to] });
    const vendor = startHarness();
    open.push(vendor);
    return { ...license, vendor, move: () => vendor.call('updateLicense', { params: { id: license.id }, body: { license_type_id } }) };
  };

  test.each(['refuse', 'allow'])(
    'the smaller plan applies to an amount that is written after the change (overage: %s)',
    async (overage) => {
      const { service, consume, used, reached, move } = await openPlans(
        meter('exports', 100, { overage }),
        meter('exports', 10, { overage }),
      );
      let isFirst = true;
      intercept(service.client, async ({ operation }, next) => {
        if (isFirst && operation === 'TransactWriteItems') {
          isFirst = false;
          await move();
        }
        return next();
      });
      const { status } = await consume({ amount: 20 });
      expect([status, await used(), (await reached()).length]).toEqual(overage === 'refuse' ? [429, 0, 0] : [200, 20, 2]);
    },
  );

  test('no request is refused by the smaller plan with what was consumed by the larger one', async () => {
    const { service, vendor, id, consume, move } = await openPlans(meter('exports', 10), meter('exports', 100));
    let isFirst = true;
    intercept(service.client, async ({ operation }, next) => {
      const earlier = (await next()) as { readonly Responses: Record<string, { readonly pk: { readonly S: string } }[]> };
      if (!isFirst || operation !== 'BatchGetItem') return earlier;
      isFirst = false;
      await move();
      await vendor.call('consumeForLicense', { params: { id }, body: { meter: 'exports', amount: 50, id: newId() } });
      const later = (await next()) as typeof earlier;
      // The license is read before the change, and the meter after it.
      const isMeter = ({ pk }: { readonly pk: { readonly S: string } }): boolean => pk.S.startsWith('METER#');
      const mixed = (table: string) => [
        ...(earlier.Responses[table] ?? []).filter((row) => !isMeter(row)),
        ...(later.Responses[table] ?? []).filter(isMeter),
      ];
      return { ...later, Responses: Object.fromEntries(Object.keys(later.Responses).map((table) => [table, mixed(table)])) };
    });
    expect((await consume({ amount: 5 })).body).toMatchObject({ used: 55, included: 100 });
  });
});
