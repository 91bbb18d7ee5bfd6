import { openCounter, shopOf, signed } from '../support/counter';
import { startHarness, type Harness } from '../support/harness';
import { captureLogs } from '../support/logs';

/** Tests that paid periods begin terms of meters (docs/spec/meters.md, Periods): a buyer who pays again may consume again. */

captureLogs();
const DAY = 86_400_000;
const shop = shopOf('custom');
let service: Harness;
beforeEach(() => {
  service = startHarness();
});
afterEach(() => service.close());

const exports = (included: number, period = 'term'): object => ({ name: 'exports', included, period });

/** A subscription of a shop of the vendor's own, and its license with a meter by term. */
async function subscribe() {
  const counter = await openCounter(service);
  const begun = service.now();
  const newType = async (name: string, meters: readonly object[]): Promise<number> => {
    const body = { name, kind: 'subscription', duration_days: 30, meters };
    return Number((await service.call('createLicenseType', { params: { id: counter.productId }, body })).body['id']);
  };
  const plans = [
    { ref: 'pro', license_type_id: await newType('Metered', [exports(10)]), quantity: 'one' },
    { ref: 'max', license_type_id: await newType('Metered more', [exports(99)]), quantity: 'one' },
    { ref: 'monthly', license_type_id: await newType('Metered monthly', [exports(10, 'month')]), quantity: 'one' },
  ];
  const { token } = await counter.connect('custom', { plans });
  let count = 0;
  const send = async (type: string, more: object, at = service.now()): Promise<void> => {
    const body = {
      id: `n-${(count += 1)}`,
      at: new Date(at).toISOString(),
      type,
      order: '1001',
      subscription: 'sub-1',
      buyer: { email: 'ada@example.com' },
      lines: [{ id: 'a', ref: 'pro', quantity: 1 }],
      ...more,
    };
    const delivery = signed(
      shop,
      { type: 'x', id: `m-${count}`, body: JSON.stringify(body), contentType: 'application/json' },
      service.now(),
    );
    const { status, text } = await counter.send(token, delivery);
    expect([status, text]).toEqual([200, expect.stringContaining('done')]);
  };
  const period = (index: number): object => ({
    period: { from: new Date(begun + index * 30 * DAY).toISOString(), until: new Date(begun + (index + 1) * 30 * DAY).toISOString() },
  });
  const [license] = await send('sale', period(0)).then(() => counter.licenses());
  const id = license?.id ?? 0;
  const meter = async () =>
    ((await service.call('listLicenseMeters', { params: { id } })).body as unknown as readonly Record<string, unknown>[])[0];
  return {
    send,
    renew: (index: number) => send('renewal', period(index)),
    meter,
    used: async () => (await meter())?.['used'],
    correct: (used: number) => service.call('correctMeter', { params: { id, name: 'exports' }, body: { used } }),
    start: (index: number) => new Date(begun + index * 30 * DAY).toISOString(),
  };
}

test('a period that is paid early begins its term at its start, not when the payment arrives', async () => {
  const { renew, meter, used, correct, start } = await subscribe();
  await correct(7);
  service.advance(20 * DAY);
  await renew(1);
  expect(await meter()).toMatchObject({ used: 7, resets_at: start(1) });
  service.advance(10 * DAY);
  expect(await used()).toBe(0);
});

test('payments that arrive late, twice or in another order begin the same terms; a refund begins and removes none', async () => {
  const { renew, send, meter, used, correct, start } = await subscribe();
  await renew(2);
  await renew(1);
  service.advance(35 * DAY);
  expect(await meter()).toMatchObject({ used: 0, resets_at: start(2) });
  await correct(4);
  await renew(1);
  expect(await used()).toBe(4);
  service.advance(30 * DAY);
  expect(await used()).toBe(0);
  await correct(3);
  await send('refund', { refund: { id: 'r-1', amount: 1 } });
  expect(await used()).toBe(3);
});

test('a change of plan moves the meters and keeps what was consumed, unless the period of the meter is another', async () => {
  const { send, meter, correct } = await subscribe();
  await correct(7);
  const change = (ref: string): Promise<void> => {
    service.advance(DAY);
    return send('subscription', { lines: [{ id: 'a', ref, quantity: 1 }] });
  };
  await change('max');
  expect(await meter()).toMatchObject({ used: 7, included: 99 });
  await change('monthly');
  expect(await meter()).toMatchObject({ used: 0, period: 'month' });
  await change('pro');
  expect(await meter()).toMatchObject({ used: 0, period: 'term', included: 10 });
});
