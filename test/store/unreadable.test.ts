import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { payloadPlace } from '../../lambdas/use-cases/payments/secrets';
import { paymentKey } from '../../lambdas/store/keys';
import { openCounter, type Counter } from '../support/counter';
import { harnessConfig, startHarness, type Harness } from '../support/harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';

/**
 * Tests notifications that can't be read or stored. One such notification must not break the payments log, an export or the processing
 * of an order.
 */

captureLogs();
const running: Harness[] = [];
afterEach(() => running.splice(0).forEach((harness) => harness.close()));

/**
 * The tests need a separate table, because an export reads the whole payments log, and the common table contains the notifications of all
 * tests.
 */
const table = ownTable();

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

async function gumroad(
  fields: object = {},
): Promise<{ counter: Counter; buyer: string; send: (fields: object, more?: string) => ReturnType<Counter['send']> }> {
  const harness = startHarness({ config: harnessConfig(await table) });
  running.push(harness);
  const counter = await openCounter(harness);
  const { token } = await counter.connect('gumroad', fields);
  const buyer = `${randomBytes(6).toString('hex')}@example.com`;
  const send = (ping: object, more = ''): ReturnType<Counter['send']> =>
    counter.send(token, {
      body: `${JSON.stringify({ resource_name: 'sale', email: buyer, ...ping }).slice(0, -1)}${more}}`,
      headers: { 'Content-Type': 'application/json' },
    });
  return { counter, buyer, send };
}

/** Two sales, one second apart. `id` identifies the row of the first sale in the log; `overwrite` can make that row unreadable. */
async function twoSales() {
  const shop = await gumroad();
  const { service } = shop.counter;
  const { id: sent } = (await shop.send({ sale_id: 's1' })).body;
  const id = String(sent);
  service.advance(1000);
  await shop.send({ sale_id: 's2' });
  const overwrite = async (field: string, value: unknown): Promise<void> => {
    await service.client.send(
      new UpdateCommand({
        TableName: await table,
        Key: paymentKey(id),
        UpdateExpression: 'SET #field = :value',
        ExpressionAttributeNames: { '#field': field },
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  };
  return { ...shop, id, overwrite };
}

describe('a notification that is nested too deep', () => {
  test('is refused with 422, and leaves no unreadable row', async () => {
    const { counter, send } = await gumroad();
    for (const levels of [100, 20_000]) expect((await send({ sale_id: 's1' }, `,"x":${nested(levels)}`)).status).toBe(422);
    expect(await counter.payments()).toEqual([]);
    expect((await send({ sale_id: 's1' }, `,"x":${nested(99)}`)).status).toBe(200);
  });

  test.each([
    [
      'nested by the thousand',
      async ({ app }: Harness, id: string) =>
        (await app.secrets.sealer('payment_payload'))('payment_payload', `{"x":${nested(20_000)}}`, payloadPlace(id)),
    ],
    [
      'sealed with a key that is gone',
      async ({ app }: Harness, id: string) =>
        (await app.secrets.sealer('payment_payload'))('payment_payload', '{}', payloadPlace(`not-${id}`)),
    ],
  ])('the log, the row and the export show a row whose payload is %s', async (_, sealed) => {
    const { counter, buyer, id, overwrite } = await twoSales();
    const { service } = counter;
    await overwrite('payload', await sealed(service, id));
    const marked = { id, payload: { unreadable: expect.any(String) as unknown } };
    expect(await counter.payments()).toMatchObject([{ payload: { sale_id: 's2' } }, marked]);
    expect(await service.call('getPayment', { params: { payment: id } })).toMatchObject({ status: 200, body: marked });
    expect(await service.call('exportCustomer', { body: { customer_email: buyer } })).toMatchObject({
      status: 200,
      body: { payments: [marked, { payload: { sale_id: 's2' } }] },
    });
  });
});

test('a row of the log that this version cannot read is counted, and the log and the export show all other rows', async () => {
  const { counter, buyer, overwrite } = await twoSales();
  const { service } = counter;
  await overwrite('event_id', 7);
  expect(await service.call('listPayments', { params: { id: counter.productId } })).toMatchObject({
    status: 200,
    headers: { 'X-Svc-Unreadable': '1' },
    body: [{ payload: { sale_id: 's2' } }],
  });
  expect(await service.call('exportCustomer', { body: { customer_email: buyer } })).toMatchObject({
    status: 200,
    body: { payments: [{ payload: { sale_id: 's2' } }], unreadable: 1 },
  });
});

describe('more data than fits into a row', () => {
  test('40,000 variants: the sale is held with a reason, and nothing fails', async () => {
    const { counter, send } = await gumroad();
    const variants = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`v${index}`, `o${index}`]));
    expect(await send({ sale_id: 's1', product_id: 'p', variants })).toMatchObject({ status: 200, body: { status: 'held' } });
    expect(await counter.payments()).toMatchObject([
      { status: 'held', action: 'sale', reason: expect.stringContaining('1 lines') as unknown },
    ]);
    expect(await counter.licenses()).toEqual([]);
  });

  test('a type of a hundred thousand characters is logged in shortened form', async () => {
    const { counter, send } = await gumroad();
    expect((await send({ sale_id: 's1', resource_name: 'x'.repeat(500_000) })).status).toBe(200);
    expect(await counter.payments()).toMatchObject([{ status: 'ignored', type: 'x'.repeat(255) }]);
  });

  test('if many large notifications wait for one order, the notifications that do not fit are held, and all are executed when an operator processes them', async () => {
    const { counter, send } = await gumroad({ default_license_type_id: null });
    const { service } = counter;
    const variants = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`v${index}`, `${'o'.repeat(40)}${index}`]));
    const sent = 40;
    for (let index = 0; index < sent; index += 1) {
      const { status, body } = await send({
        sale_id: `s${index}`,
        subscription_id: 'sub',
        product_id: 'p',
        recurrence: 'monthly',
        sale_timestamp: '2026-11-01T00:00:00Z',
        is_recurring_charge: index > 0,
        variants,
      });
      expect([status, body['status']]).toEqual([200, 'held']);
    }
    const rows = await counter.payments();
    expect(rows.filter(({ reason }) => String(reason).startsWith('Too many')).length).toBeGreaterThan(0);
    expect(rows.filter(({ reason }) => !String(reason).startsWith('Too many')).length).toBeGreaterThan(0);
    const [connection] = (await service.call('listPaymentConnections', { params: { id: counter.productId } })).body as unknown as {
      id: number;
    }[];
    await service.call('updatePaymentConnection', { params: { id: connection!.id }, body: { default_license_type_id: counter.typeId } });
    await service.call('processPayments', { params: { id: counter.productId } });
    await service.call('processPayments', { params: { id: counter.productId } });
    expect((await counter.payments()).filter(({ status }) => status !== 'done')).toEqual([]);
    expect(await counter.licenses()).toHaveLength(1);
  });
});
