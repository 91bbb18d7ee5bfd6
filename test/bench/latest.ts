import { endpoints } from '../../lambdas/contract';
import { app, newFingerprint, newLicense, newProduct, newType, post, send, type Answer } from '../support/http';
import { publishOffer } from '../support/releases';
import { load } from './load';
import { atMost, type Section } from './report';
import { inTurns, median } from './rounds';

const ROUNDS = 5;
const ROUND_MS = 1500;
const CLIENTS = 64;
const LICENSES = 256;

function ok({ status, text }: Answer<unknown>): void {
  if (status !== 200) throw new Error(`Expected 200, got ${status}: ${text}`);
}

/** An app asks for an update and validates its license at each start, so asking for an update must not cost more than validating. */
export async function latest(): Promise<Section> {
  const product = await newProduct();
  const client = app(product);
  const type = await newType(product, { max_seats: 0 });
  await publishOffer(product.id, async (name, id, body) => {
    const { path = '' } = endpoints.find((row) => row.name === name) ?? {};
    return (await post(path.replace('{id}', String(id)), body)).body;
  });
  const keys = await Promise.all(Array.from({ length: LICENSES }, async () => (await newLicense(type)).key));
  const keyAt = (place: number): string => keys[place % LICENSES] ?? '';
  const bound = newFingerprint();
  await Promise.all(keys.map((key) => client.activate(key, bound).then(ok)));
  const path = `/v1/products/${product.id}/releases/latest?platform=windows&arch=x64&version=0.0.1`;
  const found = await inTurns(ROUNDS, {
    latest: () =>
      load(CLIENTS, ROUND_MS, (place) => send(path, { headers: { 'X-API-Key': product.api_key, 'X-License-Key': keyAt(place) } }).then(ok)),
    validate: () => load(CLIENTS, ROUND_MS, (place) => client.validate(keyAt(place), bound).then(ok)),
  });
  const timeOf = (loads: readonly { readonly rate: number }[]): number => 1000 / median(loads.map(({ rate }) => rate));
  return {
    title: 'Asking for an update',
    how: `The time per request through the local stack with ${CLIENTS} clients: one second, divided by the number of requests a second. The measurements alternate, and the numbers are medians of ${ROUNDS} rounds.`,
    results: [
      {
        what: `the newest covered release, ${CLIENTS} clients`,
        value: timeOf(found.latest),
        unit: 'ms',
        against: { what: 'a validation', value: timeOf(found.validate) },
        goal: atMost(1.2),
      },
    ],
  };
}
