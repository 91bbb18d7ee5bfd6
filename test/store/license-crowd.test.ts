import { captureLogs } from '../support/logs';
import { anotherInstance, closeShops, openShop, type Shop } from '../support/shop';
import { eventsOf, expectWholeHistory } from '../support/table';

/**
 * An operator's script, a payment processor and apps change one license at the same moment. Each change must be executed, or refused
 * because of the license's status, and no response may be 503.
 */

captureLogs();
afterEach(closeShops);

/**
 * The waits between retries are real, but the clock runs at a fifth of the real speed. Therefore the time limit of five seconds is long
 * enough even on a slow machine.
 */
const begun = Date.now();
const slowly = {
  clock: () => begun + (Date.now() - begun) / 5,
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

interface Crowd {
  readonly shop: Shop;
  readonly id: number;
  readonly key: string;
  /** Returns one of the function instances, in rotation. */
  readonly instance: (place: number) => Shop;
}

async function gather(instances: number): Promise<Crowd> {
  const shop = await openShop({ kind: 'subscription', duration_days: 30, max_seats: 0 }, slowly);
  const fleet = [shop, ...Array.from({ length: instances - 1 }, () => anotherInstance(shop, slowly))];
  return { shop, ...(await shop.newLicense()), instance: (place) => fleet[place % fleet.length]! };
}

/** How often each status occurred. */
function tally(responses: readonly { readonly status: number }[]): Record<number, number> {
  const statuses: Record<number, number> = {};
  for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}

test.each([
  [8, 8],
  [30, 1],
  [20, 10],
])(
  '%i reissues at once, in %i instances of the function: each gives a key of its own, and the last one is the key of the license',
  async (count, instances) => {
    const { shop, id, instance } = await gather(instances);
    const responses = await Promise.all(
      Array.from({ length: count }, (_, place) => instance(place).call('reissueLicense', { params: { id } })),
    );
    expect(tally(responses)).toEqual({ 200: count });
    const keys = new Set(responses.map(({ body }) => body['key']));
    expect(keys.size).toBe(count);
    expect(keys).toContain((await shop.call('getLicense', { params: { id } })).body['key']);
    const events = await eventsOf(id);
    expect(events.filter(({ event }) => event === 'license.reissued')).toHaveLength(count);
    expectWholeHistory(events);
  },
);

test.each([1, 12])(
  "if all kinds of requests change one license at once, in %i instances, each response is 200, or 403 because of the license's status",
  async (instances) => {
    const { shop, id, key, instance } = await gather(instances);
    const operations: readonly ((shop: Shop, place: number) => Promise<{ readonly status: number }>)[] = [
      (own, place) => own.activate(key, `fingerprint-${place}`),
      (own, place) => own.deactivate(key, `fingerprint-${place - 1}`),
      (own) => own.call('suspendLicense', { params: { id } }),
      (own) => own.call('reinstateLicense', { params: { id } }),
      (own, place) => own.call('updateLicense', { params: { id }, body: { max_seats: 100 + place } }),
      (own, place) =>
        own.call('updateLicense', { params: { id }, body: { max_seats: place }, headers: { 'Idempotency-Key': `edit-${place}` } }),
      (own) => own.call('renewLicense', { params: { id }, body: { days: 1 } }),
      (own, place) => own.call('renewLicense', { params: { id }, body: { days: 1 }, headers: { 'Idempotency-Key': `renewal-${place}` } }),
      (own) => own.call('resetLicense', { params: { id } }),
      (own) => own.call('reissueLicense', { params: { id } }),
      (own, place) => own.call('mintOfflineToken', { params: { id }, body: { fingerprint: `fingerprint-${place}` } }),
      (own, place) => own.call('deleteActivation', { params: { id, fingerprint: `fingerprint-${place - 10}` } }),
      (own) => own.call('reissueLicense', { params: { id } }),
      (own) => own.call('reissueLicense', { params: { id } }),
      (own) => own.call('reissueLicense', { params: { id } }),
    ];
    const count = 36;
    let left = count;
    let halfDone: () => void = () => undefined;
    const half = new Promise<void>((resolve) => (halfDone = resolve));
    const responses = Promise.all(
      Array.from({ length: count }, async (_, place) => {
        const response = await operations[place % operations.length]!(instance(place), place);
        if ((left -= 1) === count / 2) halfDone();
        return response;
      }),
    );
    await half;
    const revoked = await instance(0).call('revokeLicense', { params: { id } });
    expect(revoked.status).toBe(200);
    const { 200: done = 0, 403: refused = 0, ...others } = tally(await responses);
    expect({ others, all: done + refused }).toEqual({ others: {}, all: count });
    expect(await shop.license(id)).toMatchObject({ status: 'revoked' });
    expectWholeHistory(await eventsOf(id));
  },
);
