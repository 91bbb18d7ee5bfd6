import { deliveriesOf, openCounter, orderOf, shopOf, signed, type Counter } from '../support/counter';
import { startHarness, type CallResult, type Harness } from '../support/harness';
import { captureLogs } from '../support/logs';

/**
 * A vendor's own shop (docs/spec/payments.md): it shows the buyer the license keys in the response to its
 * notification, so a wrong response leaves a buyer without a key, or shows a key to somebody else.
 */

captureLogs();
let service: Harness;
let counter: Counter;
let token: string;
beforeEach(async () => {
  service = startHarness();
  counter = await openCounter(service);
  ({ token } = await counter.connect('custom'));
});
afterEach(() => service.close());

const shop = shopOf('custom');
const sale = (more: object = {}): object => ({
  id: 'n-1',
  at: new Date(service.now()).toISOString(),
  type: 'sale',
  order: '1001',
  buyer: { email: 'ada@example.com' },
  lines: [{ id: 'a', ref: 'pro', quantity: 2 }],
  ...more,
});
const send = (body: object, headers: Readonly<Record<string, string>> = {}): Promise<CallResult> => {
  const text = JSON.stringify(body);
  const delivery = signed(shop, { type: 'x', id: 'msg-1', body: text, contentType: 'application/json' }, service.now());
  return counter.send(token, { body: text, headers: { ...delivery.headers, ...headers } });
};
const plain = { Accept: 'text/plain' };

test('the response to a sale has the licenses, and so has the response to a repeat until a day after the sale', async () => {
  const body = sale();
  const first = await send(body);
  const licenses = (await counter.licenses()).map(({ id, key }) => ({ id, key, line: 'a' }));
  expect(licenses).toHaveLength(2);
  expect(first).toMatchObject({ status: 200, body: { status: 'done' } });
  expect(first.body['licenses']).toEqual(expect.arrayContaining(licenses));

  // Another message id, another order of the fields, and unknown fields are no other content.
  const again = await send({ note: 'again', ...Object.fromEntries(Object.entries(body).toReversed()) });
  expect(again.body).toMatchObject({ status: 'duplicate', id: first.body['id'], licenses: first.body['licenses'] });
  expect((await send(body, plain)).text.trim().split('\n').sort()).toEqual(licenses.map(({ key }) => key).sort());

  await service.call('revokeLicense', { params: { id: licenses[0]!.id } });
  expect((await send(body)).body['licenses']).toEqual([licenses[1]]);
  service.advance(86_400_000);
  expect((await send(body)).body).toMatchObject({ status: 'duplicate', licenses: [] });
});

test('the same id with another content is refused, and changes nothing', async () => {
  await send(sale());
  const other = sale({ lines: [{ id: 'a', ref: 'pro', quantity: 3 }] });
  for (const headers of [{}, plain])
    expect(await send(other, headers)).toMatchObject({ status: 409, headers: { 'X-Svc-Error-Code': 'idempotency_mismatch' } });
  expect(await counter.licenses()).toHaveLength(2);
  expect(await counter.payments()).toHaveLength(1);
});

test('as text, a sale without a key is 409 `not_issued`; it is recorded, and after the cause is corrected a repeat gets its keys', async () => {
  const { id, token: strict } = await counter.connect('custom', { default_license_type_id: null });
  token = strict;
  const body = sale();
  expect(await send(body, plain)).toMatchObject({ status: 409, headers: { 'X-Svc-Error-Code': 'not_issued' } });
  const [row] = await counter.payments();
  expect(row).toMatchObject({ status: 'held', reason: expect.stringContaining('pro') as string });
  const plans = [{ ref: 'pro', license_type_id: counter.typeId, quantity: 'one' }];
  await service.call('updatePaymentConnection', { params: { id }, body: { plans } });
  await service.call('processPayment', { params: { payment: row!.id } });
  expect((await send(body, plain)).text).toBe(`${(await counter.licenses())[0]!.key}\n`);
});

test('only the response to a sale has licenses, and an error is JSON even if the shop asks for text', async () => {
  await send(sale());
  const refund = { ...sale(), id: 'n-2', type: 'refund', refund: { id: 'r' } };
  expect((await send(refund, plain)).body).toEqual({ status: 'done', id: expect.any(String) as string });
  expect(await send({ ...refund, id: 'n-3', refund: {} }, plain)).toMatchObject({
    status: 422,
    body: { detail: expect.stringMatching(/^refund\.id /) as string },
  });
});

test('the signature decides, not the content type: a body that is sent as text is read as JSON', async () => {
  expect((await send(sale(), { 'Content-Type': 'text/plain' })).body).toMatchObject({ status: 'done' });
});

test.each([
  ['sale', 'subscription'],
  ['subscription', 'sale'],
])('an order is found by its number and by its subscription (%s first)', async (...arriving) => {
  const order = orderOf('custom', service.now(), { recurring: true });
  const deliveries = {
    sale: deliveriesOf(shop, 'sale', order, service.now()),
    subscription: deliveriesOf(shop, 'quantity changed', order, service.now()),
  };
  for (const name of arriving) for (const delivery of deliveries[name as keyof typeof deliveries]) await counter.send(token, delivery);
  expect(await counter.licenses()).toHaveLength(2);

  // A renewal with a new number of the shop is the same order, because it names the subscription. A number without it is another order.
  const renewal = {
    ...sale({ subscription: `subscription-${order.key}` }),
    id: 'n-2',
    type: 'renewal',
    order: '2002',
    period: { from: new Date(order.boughtAt).toISOString(), until: new Date(order.boughtAt + 90 * 86_400_000).toISOString() },
  };
  expect((await send(renewal)).body).toMatchObject({ status: 'done' });
  expect(await counter.licenses()).toHaveLength(2);
  expect((await send(sale({ id: 'n-3', order: `subscription-${order.key}` }))).body).toMatchObject({ status: 'done' });
  expect(await counter.licenses()).toHaveLength(4);
});
