import { randomInt } from 'node:crypto';
import type { DeliveryView } from '../../../lambdas/contract/webhooks';
import type { LicenseView, ProductView } from '../../../lambdas/contract/resources';
import { RETRY_DELAYS_MS } from '../../../lambdas/domain/delivery';
import { app, everyPage, get, getLicense, newFingerprint, newLicense, newProduct, newType, post } from '../../support/http';
import { MortalService } from '../../support/mortal-service';
import { startReceiver, type Answer, type Receiver } from '../../support/receiver';
import { until } from '../../support/until';

/** Tests the whole path over HTTP, with the queue, the functions and the clock that `npm start` uses. */

const receivers: Receiver[] = [];
afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

async function newBackend({ id }: Pick<ProductView, 'id'>, answer?: Answer): Promise<Receiver> {
  const backend = await startReceiver(answer);
  receivers.push(backend);
  await post(`/v1/products/${id}/webhook`, { url: backend.url });
  return backend;
}
const sequences = (of: readonly { sequence: number | undefined }[]): number[] =>
  of.map(({ sequence }) => sequence ?? 0).sort((a, b) => a - b);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, place) => place + 1);

/**
 * One test measures the schedule of retries, and load from other tests would distort the measurement. Therefore tests wait for these gates:
 * `recovering` opens when the killed service has been restarted and no longer gets requests for changes. `measured` opens after the
 * measurement.
 */
const recovering = gate();
const measured = gate();

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

interface Created {
  readonly id: number;
  readonly key: string;
  readonly api_key: string;
}

test.concurrent('after the computer dies, every confirmed change is delivered to the backend, with one body for each id', async () => {
  const service = new MortalService();
  // The first attempts of some events fail, so that the kill also interrupts retries.
  const backend = await startReceiver(({ id }) =>
    id.endsWith('0') && backend.received.filter((delivery) => delivery.id === id).length === 1 ? 500 : 200,
  );
  receivers.push(backend);
  try {
    await service.start();
    const { body: product } = await service.post<Created>('/v1/products', { name: 'Mortal', slug: 'mortal' });
    const { body: type } = await service.post<Created>(`/v1/products/${product.id}/license-types`, { name: 'T', kind: 'lifetime' });
    await service.post(`/v1/products/${product.id}/webhook`, { url: backend.url });

    /** Confirmed changes by license. Requests without a response may or may not have changed something. */
    const answered = new Map<number, number>();
    const count = (license: number, { status }: { status: number }): void => {
      if (status < 300) answered.set(license, (answered.get(license) ?? 0) + 1);
    };
    const customer = async (): Promise<never> => {
      for (;;) {
        const created = await service.post<Created>(`/v1/products/${product.id}/licenses`, { license_type_id: type.id });
        const { id, key } = created.body;
        count(id, created);
        const device = { key, fingerprint: `device-of-${id}` };
        count(id, await service.post(`/v1/products/${product.id}/activate`, device, { 'X-API-Key': product.api_key }));
        count(id, await service.post(`/v1/licenses/${id}/reset`));
        count(id, await service.post(`/v1/licenses/${id}/revoke`));
      }
    };
    const customers = Promise.allSettled(Array.from({ length: 3 }, customer));
    const end = randomInt(30, 90);
    await until('events are coming', () => backend.received.length > end);
    await service.kill();
    await customers;
    await service.start();
    recovering.open();

    const log = `/v1/products/${product.id}/deliveries?limit=100`;
    await until('nothing is pending', async () => (await service.get<DeliveryView[]>(`${log}&status=pending`)).body.length === 0, 90_000);
    const entries = await service.list<DeliveryView>(log);
    expect(entries.filter(({ status }) => status !== 'delivered')).toEqual([]);
    expect(new Set(backend.ids())).toEqual(new Set(entries.map(({ id }) => id)));
    const told = new Map<number, number[]>();
    for (const { id, license_id, payload } of entries) {
      const bodies = backend.received.filter((delivery) => delivery.id === id).map(({ raw }) => raw.toString());
      expect(new Set(bodies)).toEqual(new Set([JSON.stringify(payload)]));
      const { sequence } = (payload as { data: { license: { sequence: number } } }).data.license;
      told.set(license_id ?? 0, [...(told.get(license_id ?? 0) ?? []), sequence]);
    }
    expect(answered.size).toBeGreaterThan(3);
    for (const [license, changes] of answered) {
      const own = told.get(license) ?? [];
      expect(own.sort()).toEqual(upTo(own.length));
      expect(own.length).toBeGreaterThanOrEqual(changes);
    }
  } finally {
    recovering.open();
    await service.destroy();
  }
});

test.concurrent('a receiver that fails is tried again after 1, 5 and 15 s, never sooner, and before the following delay', async () => {
  await recovering.opened;
  const product = await newProduct();
  const ends: number[] = [];
  const backend = await newBackend(product, (_, response) => {
    // Before the response, because this process may be interrupted after it.
    ends.push(Date.now());
    response.writeHead(500).end();
  });
  const { body } = await post<DeliveryView>(`/v1/products/${product.id}/webhook/test`);
  await until(
    'the event has failed',
    async () => (await get<DeliveryView>(`/v1/deliveries/${body.id}`)).body.status === 'failed',
    60_000,
  ).finally(measured.open);
  expect((await get<DeliveryView>(`/v1/deliveries/${body.id}`)).body).toMatchObject({ attempts: 4, last_status: 500 });
  const gaps = backend.received.map(({ at }, place) => at - ends[place - 1]!).slice(1);
  expect(gaps).toHaveLength(3);
  for (const [place, gap] of gaps.entries()) {
    expect(gap).toBeGreaterThanOrEqual(RETRY_DELAYS_MS[place]!);
    // The delay of a retry beyond its scheduled time depends on the computer, so only the benchmark measures this delay.
    expect(gap).toBeLessThan(RETRY_DELAYS_MS[place + 1] ?? Infinity);
  }
  expect(new Set(backend.received.map(({ raw }) => raw.toString())).size).toBe(1);
});

/** Waits until the backend has received all events of a license, and returns the license's sequence number. */
async function told(license: LicenseView, backend: Receiver): Promise<{ sequence: number }> {
  const deliveries = `/v1/products/${license.product_id}/deliveries?limit=100`;
  await until('nothing is pending', async () => (await get<DeliveryView[]>(`${deliveries}&status=pending`)).body.length === 0);
  const log = (await everyPage<DeliveryView>(deliveries)).flat().filter(({ license_id }) => license_id === license.id);
  expect(log.filter(({ status }) => status !== 'delivered')).toEqual([]);
  for (const { id, payload } of log) {
    const posts = backend.received.filter((delivery) => delivery.id === id);
    expect(posts.length).toBeGreaterThanOrEqual(1);
    expect(new Set(posts.map(({ raw }) => raw.toString()))).toEqual(new Set([JSON.stringify(payload)]));
  }
  return { sequence: log.length };
}

test.concurrent('a storm of requests gives one event for each change, without gaps, and the backend gets them all', async () => {
  await measured.opened;
  const product = await newProduct();
  const client = app(product);
  const type = await newType(product, { kind: 'subscription', duration_days: 30 });
  const backend = await newBackend(product);
  const licenses = await Promise.all(upTo(3).map(() => newLicense(type)));
  const devices = upTo(5).map(() => newFingerprint());
  const changes = new Map(licenses.map(({ id }) => [id, 1]));
  const count = (id: number, happened: boolean): void => void (happened && changes.set(id, changes.get(id)! + 1));
  const activations = new Map<string, number>();
  const storm = licenses.flatMap(({ id, key }) =>
    upTo(20).map((i) => async () => {
      const device = devices[i % devices.length]!;
      if (i % 10 === 5) count(id, (await post(`/v1/licenses/${id}/reset`)).status === 200);
      else if (i % 10 === 7) count(id, (await post(`/v1/licenses/${id}/renew`)).status === 200);
      else if (i % 3 === 0) count(id, (await client.deactivate(key, device)).body.freed === true);
      else if (i % 3 === 1) await client.validate(key, device);
      else {
        // A busy service may respond with 503, and the client then sends its request again.
        await until('the device is activated', async () => {
          const { status } = await client.activate(key, device);
          expect([200, 503]).toContain(status);
          return status === 200;
        });
        activations.set(key, (activations.get(key) ?? 0) + 1);
      }
    }),
  );
  await Promise.all(storm.map((request) => request()));

  for (const license of licenses) {
    const { sequence } = await told(license, backend);
    const mine = backend.received.filter(({ raw }) => raw.includes(license.key));
    expect(sequences([...new Map(mine.map((delivery) => [delivery.id, delivery])).values()])).toEqual(upTo(sequence));
    // Every change that a response confirmed is among the events. An activation of a device that was already bound has no event.
    const activated = mine.filter(({ event }) => event === 'license.activated').length;
    expect(sequence - activated).toBe(changes.get(license.id));
    expect(activated).toBeLessThanOrEqual(activations.get(license.key) ?? 0);
    expect((await getLicense(license.id)).status).toBe('active');
  }
  expect(backend.ids()).toHaveLength(backend.received.length);
});
