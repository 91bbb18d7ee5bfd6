import fc from 'fast-check';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseUrl, getLicense, newLicense, newProduct, newType } from '../support/http';
import { languages, runnerOf } from '../support/languages';
import { longRun, print } from '../model/runs';

/**
 * Runs apps in every language. The apps share one folder, and all switch between two license keys at the same time. If this test fails, a
 * user pays for a seat that no app uses, or an app keeps a license without a seat.
 */

const PROCESSES = 8;
const work = mkdtempSync(join(tmpdir(), 'lks-storm-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const present = languages.filter(({ missing }) => missing === undefined);
let runners: readonly ReturnType<typeof runnerOf>[];
beforeAll(async () => {
  runners = await Promise.all(
    present.map(async ({ prepare }, place) => runnerOf(await prepare(mkdtempSync(join(work, `sample-${place}-`))))),
  );
});

/** Two licenses of one product, and a folder that all apps share. */
async function newApp() {
  const product = await newProduct();
  const type = await newType(product, { max_seats: 1 });
  const licenses = [await newLicense(type), await newLicense(type)] as const;
  const { id, slug, api_key: apiKey, public_key: publicKey } = product;
  const folder = mkdtempSync(join(work, 'app-'));
  writeFileSync(join(folder, 'product.json'), JSON.stringify({ baseUrl: baseUrl(), id, slug, apiKey, publicKey }));
  return {
    folder,
    licenses,
    /** The key and the token that the apps have stored. */
    stored(): { readonly key?: string; readonly token?: string } {
      const file = readdirSync(folder).find((name) => name.startsWith('license-key-service.') && !name.includes('.device.')) ?? '';
      return JSON.parse(readFileSync(join(folder, file), 'utf8')) as object;
    },
    seats: () => Promise.all(licenses.map(async (license) => (await getLicense(license.id)).seats.used)),
    /** The locks and drafts that are left. */
    rest: () => readdirSync(folder).filter((name) => /\.(lock|tmp)$/.test(name)),
  };
}

/** A run of a test with random choices. */
function drawn(name: string, standard: number, perRound: number) {
  const { count, seed } = longRun(standard);
  print(`${name} in ${present.map((language) => language.name).join(', ')}: ${count} rounds with LKS_SEED=${seed}`);
  const draws = fc.sample(fc.noBias(fc.nat()), { seed, numRuns: count * perRound });
  return { count, pick: <Value>(values: readonly Value[]): Value => values[(draws.pop() ?? 0) % values.length]! };
}

test(`${PROCESSES} processes switch between two keys at random: the key that the app has stored uses one seat, and the other key uses none`, async () => {
  const { count, pick } = drawn('Switches', 300, 2 * PROCESSES + 1);
  const { folder, licenses, stored, seats, rest } = await newApp();
  for (let round = 0; round < count; round += 1) {
    await Promise.all(Array.from({ length: PROCESSES }, () => pick(runners)(folder, 'activate', pick(licenses).key)));
    // A seat that could not be freed at once is freed at the next start.
    await pick(runners)(folder, 'check');
    const { key } = stored();
    expect([round, await seats()]).toEqual([round, licenses.map((license) => (license.key === key ? 1 : 0))]);
    expect(rest()).toEqual([]);
  }
});

test('a process deactivates the app or activates another key while a second process refreshes the license: no seat is taken again', async () => {
  const { count, pick } = drawn('Deactivations and activations during a refresh', 1000, 4);
  const { folder, licenses, stored, seats, rest } = await newApp();
  for (let round = 0; round < count; round += 1) {
    await pick(runners)(folder, 'activate', licenses[0].key);
    const [user, refresher, isDeactivated] = [pick(runners), pick(runners), pick([true, false])];
    await Promise.all([
      refresher(folder, 'validate'),
      isDeactivated ? user(folder, 'deactivate') : user(folder, 'activate', licenses[1].key),
    ]);
    const { key, token } = stored();
    const expected = isDeactivated ? [round, undefined, false, [0, 0]] : [round, licenses[1].key, true, [0, 1]];
    expect([round, key, token !== undefined, await seats()]).toEqual(expected);
    expect(rest()).toEqual([]);
  }
});
