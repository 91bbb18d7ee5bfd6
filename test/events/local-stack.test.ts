import type { DeliveryView } from '../../lambdas/contract/webhooks';
import type { LicenseView, ProductView } from '../../lambdas/contract/resources';
import { RETRY_DELAYS_MS } from '../../lambdas/domain/delivery';
import { app, everyPage, get, getLicense, newFingerprint, newLicense, newProduct, newType, post } from '../support/http';
import { startReceiver, type Answer, type Receiver } from '../support/receiver';
import { until } from '../support/until';

/** The whole way over HTTP, with the queue, the functions and the clock as `npm start` runs them. */

const receivers: Receiver[] = [];
afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

async function newBackend({ id }: Pick<ProductView, 'id'>, answer?: Answer): Promise<Receiver> {
  const backend = await startReceiver(answer);
  receivers.push(backend);
  await post(`/v1/products/${id}/webhook`, { url: backend.url });
  return backend;
}
const sequences = (of: readonly { sequence: number | undefined }[]): number[] => of.map(({ sequence }) => sequence ?? 0).sort((a, b) => a - b);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, place) => place + 1);

/** Fulfilled when the schedule's test only waits any more: a storm before would be measured with it. */
let startStorm: () => void;
const calm = new Promise<void>((resolve) => (startStorm = resolve));

test.concurrent('a receiver that fails is asked again after 1, 5 and 15 s, never sooner and at most a second later', async () => {
  const product = await newProduct();
  const ends: number[] = [];
  const backend = await newBackend(product, (_, response) => {
    response.writeHead(500).end();
    ends.push(Date.now());
    if (ends.length === 3) startStorm();
  });
  const { body } = await post<DeliveryView>(`/v1/products/${product.id}/webhook/test`);
  await until('the event has failed', async () => (await get<DeliveryView>(`/v1/deliveries/${body.id}`)).body.status === 'failed', 30_000);
  expect((await get<DeliveryView>(`/v1/deliveries/${body.id}`)).body).toMatchObject({ attempts: 4, last_status: 500 });
  const gaps = backend.received.map(({ at }, place) => at - ends[place - 1]!).slice(1);
  expect(gaps).toHaveLength(3);
  for (const [place, gap] of gaps.entries()) {
    expect(gap).toBeGreaterThanOrEqual(RETRY_DELAYS_MS[place]!);
    expect(gap).toBeLessThanOrEqual(RETRY_DELAYS_MS[place]! + 1000);
  }
  expect(new Set(backend.received.map(({ raw }) => raw.toString())).size).toBe(1);
}, 40_000);

/** Waits until the backend has every event of a license up to its last one, and gives the license's sequence. */
async function told(license: LicenseView, backend: Receiver): Promise<{ sequence: number }> {
  const entries = async (): Promise<DeliveryView[]> =>
    (await everyPage<DeliveryView>(`/v1/products/${license.product_id}/deliveries`)).flat().filter(({ license_id }) => license_id === license.id);
  await until('every event of the license is delivered', async () => (await entries()).every(({ status }) => status === 'delivered'));
  const log = await entries();
  for (const { id, payload } of log) {
    const posts = backend.received.filter((delivery) => delivery.id === id);
    expect(posts.length).toBeGreaterThanOrEqual(1);
    expect(new Set(posts.map(({ raw }) => raw.toString()))).toEqual(new Set([JSON.stringify(payload)]));
  }
  return { sequence: log.length };
}

test.concurrent('a storm of requests gives one event for each change, without gaps, and the backend gets them all', async () => {
  await calm;
  const product = await newProduct();
  const client = app(product);
  const type = await newType(product, { kind: 'subscription', duration_days: 30 });
  const backend = await newBackend(product);
  const licenses = await Promise.all(upTo(4).map(() => newLicense(type)));
  const machines = upTo(5).map(() => newFingerprint());
  const changes = new Map(licenses.map(({ id }) => [id, 1]));
  const count = (id: number, happened: boolean): void => void (happened && changes.set(id, changes.get(id)! + 1));
  const activations = new Map<string, number>();
  const storm = licenses.flatMap(({ id, key }) =>
    upTo(30).map((i) => async () => {
      const machine = machines[i % machines.length]!;
      if (i % 10 === 5) count(id, (await post(`/v1/licenses/${id}/reset`)).status === 200);
      else if (i % 10 === 7) count(id, (await post(`/v1/licenses/${id}/renew`)).status === 200);
      else if (i % 3 === 0) count(id, (await client.deactivate(key, machine)).body.freed === true);
      else if (i % 3 === 1) await client.validate(key, machine);
      else {
        const { status } = await client.activate(key, machine);
        expect(status).toBe(200);
        activations.set(key, (activations.get(key) ?? 0) + 1);
      }
    }),
  );
  await Promise.all(storm.map((request) => request()));

  for (const license of licenses) {
    const { sequence } = await told(license, backend);
    const mine = backend.received.filter(({ raw }) => raw.includes(license.key));
    expect(sequences([...new Map(mine.map((delivery) => [delivery.id, delivery])).values()])).toEqual(upTo(sequence));
    // Every change that an answer told of is among them; an activation that found its machine bound changed nothing.
    const activated = mine.filter(({ event }) => event === 'license.activated').length;
    expect(sequence - activated).toBe(changes.get(license.id));
    expect(activated).toBeLessThanOrEqual(activations.get(license.key) ?? 0);
    expect((await getLicense(license.id)).status).toBe('active');
  }
  expect(backend.ids()).toHaveLength(backend.received.length);
}, 40_000);
