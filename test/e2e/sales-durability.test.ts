import { shops } from '../../bin/sell/scenarios';
import type { ProductView } from '../../lambdas/contract/resources';
import type { LicenseView } from '../../lambdas/contract/resources';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import type { Processor } from '../../lambdas/contract/processors';
import { deliveriesOf, orderOf, SECRETS, type Delivery } from '../support/counter';
import { unique } from '../support/http';
import { MortalService } from '../support/mortal-service';
import { until } from '../support/until';

/**
 * Kills the whole stack twice during bursts of sales. A sale whose response was 200 must exist, and a sale that is sent again must exist
 * only once. The second kill happens after a restart with the same data.
 */

const BUYERS = 6;
const service = new MortalService();
let baseUrl: string;
beforeAll(async () => {
  ({ baseUrl } = await service.start());
});
afterAll(() => service.destroy());

interface Till {
  readonly processor: Processor;
  readonly url: string;
}

/** Sends a request as a payment processor does. Returns undefined if the service was killed before it responded. */
const post = (url: string, { body, headers }: Delivery): Promise<number | undefined> =>
  fetch(url, { method: 'POST', body, headers }).then(
    ({ status }) => status,
    () => undefined,
  );

test('after kill -9 in a burst of sales no acknowledged sale is missing, and no repeated sale exists twice', async () => {
  const slug = unique('burst');
  const product = (await service.post<ProductView>('/v1/products', { name: slug, slug })).body;
  const type = (await service.post<{ id: number }>(`/v1/products/${product.id}/license-types`, { name: 'Pro', kind: 'lifetime' })).body;
  await service.post(`/v1/products/${product.id}/mail`, { send_keys: true });
  const tills: Till[] = [];
  for (const processor of ['stripe', 'polar', 'gumroad'] as const) {
    const secret = SECRETS[processor];
    const { status, body } = await service.post<{ url: string }>(`/v1/products/${product.id}/payment-connections`, {
      processor,
      default_license_type_id: type.id,
      ...(secret !== undefined && { signing_secret: secret }),
    });
    expect(status).toBe(201);
    tills.push({ processor, url: new URL(body.url).pathname });
  }

  /** The requests that were sent for each order, and whether each got 200. */
  const sent: { readonly till: Till; readonly delivery: Delivery; acknowledged: boolean }[] = [];
  let orders = 0;
  let isAlive = false;
  const sell = async (): Promise<void> => {
    while (isAlive) {
      const till = tills[orders % tills.length]!;
      orders += 1;
      const buyer = `buyer-${orders}@example.com`;
      for (const delivery of deliveriesOf(
        shops[till.processor](),
        'sale',
        orderOf(till.processor, Date.now(), { email: buyer }),
        Date.now(),
      )) {
        const entry = { till, delivery, acknowledged: false };
        sent.push(entry);
        const status = await post(`${baseUrl}${till.url}`, delivery);
        if (status === undefined) return;
        expect(status).toBe(200);
        entry.acknowledged = true;
      }
    }
  };
  for (const sales of [12 + Math.floor(Math.random() * 12), 4]) {
    const acknowledged = (): number => sent.filter((entry) => entry.acknowledged).length;
    const enough = acknowledged() + sales;
    isAlive = true;
    const buying = Promise.all(Array.from({ length: BUYERS }, sell));
    await until('enough was sold', () => acknowledged() >= enough, 60_000);
    await service.kill();
    isAlive = false;
    await buying;
    ({ baseUrl } = await service.start());
  }

  // All requests are sent again. An acknowledged sale must now be a duplicate. A sale without a response is executed now, unless the
  // service executed it before the kill.
  for (const entry of sent) {
    const response = await fetch(`${baseUrl}${entry.till.url}`, {
      method: 'POST',
      body: entry.delivery.body,
      headers: entry.delivery.headers,
    });
    const { status } = (await response.json()) as { status: string };
    expect(response.status).toBe(200);
    if (entry.acknowledged) expect(status).toBe('duplicate');
    entry.acknowledged = true;
  }
  const rows = await service.list<{ event_id: string; status: string; license_ids: number[] }>(`/v1/products/${product.id}/payments`);
  expect(rows).toHaveLength(sent.length);
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['done']));
  const licenses = await service.list<LicenseView>(`/v1/products/${product.id}/licenses`);
  const buyers = licenses.map(({ customer_email }) => customer_email);
  expect(new Set(buyers).size).toBe(buyers.length);
  expect(new Set(rows.flatMap(({ license_ids }) => license_ids))).toEqual(new Set(licenses.map(({ id }) => id)));
  const created = (await service.list<DeliveryView>(`/v1/products/${product.id}/deliveries`)).filter(
    ({ event }) => event === 'license.created',
  );
  expect(created.map(({ license_id }) => license_id).sort()).toEqual(licenses.map(({ id }) => id).sort());
  const mails = await service.list<DeliveryView>(`/v1/products/${product.id}/deliveries?channel=mail`);
  expect(mails.map(({ license_id }) => license_id).sort()).toEqual(licenses.map(({ id }) => id).sort());
});

test('after kill -9 in the middle of many reminders, each reminder is sent, and is in the log exactly once', async () => {
  const LICENSES = 60;
  const name = unique('reminders');
  const product = (await service.post<ProductView>('/v1/products', { name, slug: name })).body;
  const type = (
    await service.post<{ id: number }>(`/v1/products/${product.id}/license-types`, {
      name: 'Year',
      kind: 'subscription',
      duration_days: 30,
    })
  ).body;
  await service.post(`/v1/products/${product.id}/mail`, { reminders: [{ event: 'expiring', days: 7 }] });
  const ids = await Promise.all(
    Array.from({ length: LICENSES }, async (_, place) => {
      const body = { license_type_id: type.id, customer_email: `reader-${place}@example.com` };
      return (await service.post<LicenseView>(`/v1/products/${product.id}/licenses`, body)).body.id;
    }),
  );
  const reminders = async (): Promise<DeliveryView[]> =>
    (await service.list<DeliveryView>(`/v1/products/${product.id}/deliveries?channel=mail`)).filter(
      ({ event }) => event === 'license.reminded',
    );
  const delivered = async (): Promise<number> => (await reminders()).filter(({ status }) => status === 'delivered').length;
  await service.post('/_local/clock', { advance_ms: 23.5 * 86_400_000 });
  await until('the first reminders are recorded', async () => (await reminders()).length > 0);
  await service.kill();
  await service.start();
  await until('all are sent', async () => (await delivered()) >= LICENSES, 120_000);
  expect((await reminders()).map(({ license_id }) => license_id).sort()).toEqual(ids.sort());
});
