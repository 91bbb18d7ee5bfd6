import { RETRY_DELAYS_MS } from '../../lambdas/domain/delivery';
import { app, newFingerprint, newLicense, newProduct, newType, post } from '../support/http';
import type { ProductView } from '../../lambdas/contract/resources';
import { startReceiver, type Receiver } from '../support/receiver';
import { until } from '../support/until';
import { atLeast, type Result, type Section } from './report';
import { median, quantile } from './rounds';

const CHANGES = 200;
const DELIVERIES = 2000;
const RETRIED = 20;

/** Creates a product whose events go to a receiver. */
async function productOf(receiver: Receiver): Promise<ProductView> {
  const product = await newProduct();
  const { status } = await post(`/v1/products/${product.id}/webhook`, { url: receiver.url });
  if (status !== 200) throw new Error(`The webhook was not set: ${status}`);
  return product;
}

/** Measures the time from a client's request until the first byte of the event's delivery arrives. The requests are sent one at a time. */
async function latency(): Promise<Result[]> {
  const receiver = await startReceiver();
  const product = await productOf(receiver);
  const license = await newLicense(await newType(product, { max_seats: 0 }));
  const times: number[] = [];
  for (let i = 0; i <= CHANGES; i += 1) {
    const before = receiver.received.length;
    const begun = Date.now();
    const { status } = await app(product).activate(license.key, newFingerprint());
    if (status !== 200) throw new Error(`The activation responded with ${status}`);
    await until('the event is there', () => receiver.received.length > before);
    // The first delivery is not counted, because it starts the functions.
    if (i > 0) times.push((receiver.received.at(-1)?.at ?? Number.NaN) - begun);
  }
  await receiver.close();
  const what = 'from the request for a change to the receiver’s first byte';
  return [
    { what: `${what}, p50`, value: median(times), unit: 'ms' },
    { what: `${what}, p99`, value: quantile(times, 0.99), unit: 'ms' },
  ];
}

/** Delivers a backlog of events: the receiver responds only after all events have been recorded. */
async function rate(): Promise<Result[]> {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const receiver = await startReceiver(() => opened.then(() => 200));
  const product = await productOf(receiver);
  const license = await newLicense(await newType(product, { max_seats: 0 }));
  for (let sent = 0; sent < DELIVERIES; sent += 20)
    await Promise.all(Array.from({ length: 20 }, () => app(product).activate(license.key, newFingerprint())));
  const begun = performance.now();
  open();
  // Some events had an attempt before the receiver responded, and wait for their next attempt.
  await until('most events are delivered', () => receiver.ids().length >= DELIVERIES * 0.9, 120_000);
  const seconds = (performance.now() - begun) / 1000;
  await receiver.close();
  return [{ what: `deliveries of a backlog of ${DELIVERIES}`, value: (DELIVERIES * 0.9) / seconds, unit: 'a second', goal: atLeast(500) }];
}

/** Measures how much later than planned the service retries a failed delivery. */
async function retries(): Promise<Result[]> {
  const receiver = await startReceiver(() => 500);
  const product = await productOf(receiver);
  const licenses = await newType(product);
  await Promise.all(Array.from({ length: RETRIED }, () => newLicense(licenses)));
  const attempts = RETRY_DELAYS_MS.length + 1;
  await until('the last attempt of each', () => receiver.received.length === RETRIED * attempts, 60_000);
  const late = receiver.ids().flatMap((id) => {
    const times = receiver.received.filter((received) => received.id === id).map(({ at }) => at);
    return RETRY_DELAYS_MS.map((delay, place) => (times[place + 1] ?? Number.NaN) - (times[place] ?? Number.NaN) - delay);
  });
  await receiver.close();
  return [
    { what: 'retry later than planned (1, 5, 15 s), p50', value: median(late), unit: 'ms' },
    { what: 'retry later than planned, at worst', value: Math.max(...late), unit: 'ms' },
    { what: 'retry sooner than planned, at worst', value: Math.max(0, -Math.min(...late)), unit: 'ms' },
  ];
}

export async function events(): Promise<Section> {
  return {
    title: 'Events',
    how: 'The events pass through the local stack, whose queue, delivery function and table run as with `npm start`. The receiver runs in another process.',
    results: [...(await latency()), ...(await rate()), ...(await retries())],
  };
}
