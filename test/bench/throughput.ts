import { app, newFingerprint, newLicense, newProduct, newShop, newType, post, send, type Answer } from '../support/http';
import { load, type Load } from './load';
import { atLeast, type Result, type Section } from './report';
import { inTurns, median } from './rounds';

const ROUNDS = 5;
const ROUND_MS = 1500;
const CLIENTS = [1, 32, 128];
/** The number of licenses in measurements with many licenses. It is so large that no two clients use the same license at the same time. */
const MANY = 256;

/** Throws an error if a response is not the expected one, because refusals are fast and would distort the result. */
const expecting =
  (status: number) =>
  (answer: Answer<unknown>): void => {
    if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}: ${answer.text}`);
  };
const ok = expecting(200);

const middle = (loads: readonly Load[]): Load => ({
  rate: median(loads.map(({ rate }) => rate)),
  p50: median(loads.map(({ p50 }) => p50)),
  p99: median(loads.map(({ p99 }) => p99)),
});

/**
 * Measures requests through the local stack as `npm start` runs it, with IAM and with data on disk. The load comes from another process of
 * the same machine.
 */
export async function throughput(): Promise<Section> {
  const product = await newProduct();
  const client = app(product);
  const type = await newType(product, { max_seats: 0 });
  const licenses = await Promise.all(Array.from({ length: MANY }, () => newLicense(type)));
  const keyAt = (place: number): string => licenses[place % MANY]?.key ?? '';
  const bound = newFingerprint();
  await Promise.all(licenses.map(({ key }) => client.activate(key, bound).then(ok)));
  const body = { license_type_id: type.id };
  const operations = {
    'service description (no table)': () => send('/').then(ok),
    validate: (place: number) => client.validate(keyAt(place), bound).then(ok),
    're-activate': (place: number) => client.activate(keyAt(place), bound).then(ok),
    'activate new devices': (place: number) => client.activate(keyAt(place), newFingerprint()).then(ok),
    'create a license': () => post(`/v1/products/${product.id}/licenses`, body).then(expecting(201)),
  };
  const results: Result[] = [];
  for (const clients of CLIENTS) {
    const found = await inTurns(
      ROUNDS,
      Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, () => load(clients, ROUND_MS, operation)])),
    );
    for (const [name, loads] of Object.entries(found)) {
      const { rate, p50, p99 } = middle(loads);
      const what = `${name}, ${clients} ${clients === 1 ? 'client' : 'clients'}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
      results.push({ what, value: rate, unit: 'a second' });
    }
  }
  return {
    title: 'Through the local stack',
    how: `The number of requests a second, and the durations of the requests, with the stated number of simultaneous clients. The values are medians of ${ROUNDS} rounds.`,
    results,
  };
}

/** Compares how many new devices can be activated per second on one license and on many licenses. */
export async function oneLicense(): Promise<Section> {
  const { license, client, type } = await newShop({ max_seats: 10_000 });
  const others = await Promise.all(Array.from({ length: MANY }, () => newLicense(type)));
  const found = await inTurns(ROUNDS, {
    one: () => load(32, 2 * ROUND_MS, () => client.activate(license.key, newFingerprint()).then(ok)),
    many: () => load(32, 2 * ROUND_MS, (place) => client.activate(others[place % MANY]?.key ?? '', newFingerprint()).then(ok)),
  });
  const one = middle(found.one);
  const many = middle(found.many);
  return {
    title: 'One license that everybody activates',
    how: '32 clients activate new devices, either all on one license with 10,000 seats, or on many licenses. The two measurements alternate.',
    results: [
      {
        what: `one license: p50 ${one.p50.toFixed(0)} ms, p99 ${one.p99.toFixed(0)} ms`,
        value: one.rate,
        unit: 'a second',
        against: { what: 'many licenses', value: many.rate },
        goal: atLeast(0.2),
      },
    ],
  };
}
