import { intercept } from '../support/intercept';
import { volume } from '../support/sampled';
import { anotherInstance, closeShops, openShop, type Shop } from '../support/shop';
import { clockStart } from '../support/start';
import { eventsOf, expectWholeHistory } from '../support/table';

/**
 * Simulates a Monday morning, when all users start the app at the same time. A device may be refused only because no seat is left, and
 * never because the retries took too long.
 */

afterEach(closeShops);

const CROWD = volume(40, 100);
const begun = performance.now();
const start = clockStart();
/**
 * The waits between retries are real, but the clock runs at a fiftieth of the real speed, because the emulator is slower than DynamoDB: it
 * serves all calls in one process, so that a call of this crowd took 70 to 200 ms on a busy machine. The product's waits are not the cause.
 * With 25 instances, 6 to 11 attempts lost a race for each activation, with a mean wait of 75 to 90 ms, and the last of 100 devices got its
 * response after 3.6 to 12 s. A simulation of 200 devices in 200 instances is in docs/scaling.md.
 */
const slowly = {
  clock: () => start + (performance.now() - begun) / 50,
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

/**
 * Activates `CROWD` devices simultaneously with one license key, spread over function instances. Returns how often each status occurred.
 */
async function activateAtOnce(instances: readonly Shop[], key: string): Promise<Record<number, number>> {
  const responses = await Promise.all(
    Array.from({ length: CROWD }, (_, index) => instances[index % instances.length]!.activate(key, `fingerprint-${index}`)),
  );
  const statuses: Record<number, number> = {};
  for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}

test.each([
  [1, 0],
  [25, 0.6 * CROWD],
])(
  `if ${CROWD} devices activate at once in %i function instances, with %i seats (0: unlimited), no response is 503 and no seat stays free`,
  async (instances, max_seats) => {
    const shop = await openShop({ kind: 'lifetime', max_seats }, slowly);
    const { id, key } = await shop.newLicense();
    const fleet = [shop, ...Array.from({ length: instances - 1 }, () => anotherInstance(shop, slowly))];
    const used = new Set<Shop>();
    for (const instance of fleet) {
      intercept(instance.client, (_call, next) => {
        used.add(instance);
        return next();
      });
    }
    const seats = max_seats === 0 ? CROWD : max_seats;
    expect(await activateAtOnce(fleet, key)).toEqual(seats === CROWD ? { 200: CROWD } : { 200: seats, 429: CROWD - seats });
    expect(used.size).toBe(instances);
    expect(await shop.license(id)).toMatchObject({ seats: { used: seats } });
    expectWholeHistory(await eventsOf(id));
  },
);
