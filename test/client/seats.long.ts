import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage } from '../../client/src/node';
import { longRun, print } from '../model/runs';
import { closeShops } from '../support/shop';
import { DAY, itemName, MINUTE, openWorld, type Device, type World } from './support';

/**
 * Repeats what a user does while the client refreshes a token or a lease in the background, in one process and beside a second process. A
 * pause of random length places each event anywhere within the others. If a test fails, a user pays for a seat that no app uses, or a second
 * user works on a paid seat.
 */

const work = mkdtempSync(join(tmpdir(), 'lks-seats-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));
afterEach(closeShops);

/** The record of a device, as it is stored. */
const recordOf = (folder: string, { productId }: World): { readonly key?: string; readonly token?: string; readonly release?: unknown } =>
  JSON.parse(readFileSync(join(folder, `${itemName(productId)}.json`), 'utf8')) as object;

/**
 * Runs an action of the user while a refresh is in progress. The refresh runs in the same process or in a second one. The check afterwards
 * gets the stored record and the numbers of taken seats of both keys.
 */
function repeat(
  name: string,
  type: object,
  act: (device: Device, other: string) => Promise<unknown>,
  verify: (
    record: ReturnType<typeof recordOf>,
    keys: { readonly held: string; readonly other: string },
  ) => readonly [held: number, other: number],
): void {
  test(`${name}, while a refresh is in progress`, async () => {
    const world = await openWorld({ max_seats: 1, ...type });
    const { count, seed } = longRun(1000);
    print(`${name}: ${count} repetitions with LKS_SEED=${seed}`);
    const draws = fc.sample(fc.nat({ max: 40 }), { seed, numRuns: count });
    for (const [round, pause] of draws.entries()) {
      const folder = join(work, `${world.productId}-${round}`);
      const device = await world.licensed({ storage: fileStorage(folder) });
      const other = await world.newLicense();
      // Half of the token's life has passed, so every check refreshes the token in the background.
      world.advance(type === floating ? 6 * MINUTE : 4 * DAY);
      const second = device.restart();
      const refresher = round % 2 === 0 ? device : second;
      await refresher.client.check();
      await new Promise((resolve) => setTimeout(resolve, pause));
      await act(device, other.key);
      await Promise.all([device.client.idle(), second.client.idle()]);
      const record = recordOf(folder, world);
      const seats = await Promise.all(
        [device.license.id, other.id].map(
          async (id) =>
            ((await world.call('getLicense', { params: { id: String(id) } })).body as unknown as { seats: { used: number } }).seats.used,
        ),
      );
      expect([round, ...seats, record.release]).toEqual([
        round,
        ...verify(record, { held: device.license.key, other: other.key }),
        undefined,
      ]);
      await Promise.all([device.client.close(), second.client.close()]);
      rmSync(folder, { recursive: true });
    }
  });
}

const floating = { kind: 'floating', duration_days: undefined, lease_minutes: 10 };

repeat(
  'a deactivation',
  {},
  async ({ client }) => expect(await client.deactivate()).toEqual({ status: 'deactivated', freed: true }),
  (record) => {
    expect([record.key, record.token]).toEqual([undefined, undefined]);
    return [0, 0];
  },
);

repeat(
  'the end of the app, which frees a leased seat',
  floating,
  ({ client }) => client.close({ release: true }),
  (record, { held }) => {
    expect([record.key, record.token]).toEqual([held, undefined]);
    return [0, 0];
  },
);

repeat(
  'an activation of another key',
  {},
  async ({ client }, other) => expect(await client.activate(other)).toMatchObject({ status: 'licensed', source: 'network' }),
  (record, { other }) => {
    expect(record.key).toBe(other);
    return [0, 1];
  },
);
