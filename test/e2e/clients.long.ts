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

test(`${PROCESSES} processes switch between two keys at random: the key that the app has stored uses one seat, and the other key uses none`, async () => {
  const product = await newProduct();
  const type = await newType(product, { max_seats: 1 });
  const licenses = [await newLicense(type), await newLicense(type)];
  const present = languages.filter(({ missing }) => missing === undefined);
  const runners = await Promise.all(
    present.map(async ({ prepare }, place) => runnerOf(await prepare(mkdtempSync(join(work, `sample-${place}-`))))),
  );
  const { id, slug, api_key: apiKey, public_key: publicKey } = product;
  const { count, seed } = longRun(300);
  print(`Switches in ${present.map(({ name }) => name).join(', ')}: ${count} rounds with LKS_SEED=${seed}`);
  const draws = fc.sample(fc.noBias(fc.nat()), { seed, numRuns: count * (2 * PROCESSES + 1) });
  const pick = <Value>(values: readonly Value[]): Value => values[(draws.pop() ?? 0) % values.length]!;
  const app = mkdtempSync(join(work, 'app-'));
  writeFileSync(join(app, 'product.json'), JSON.stringify({ baseUrl: baseUrl(), id, slug, apiKey, publicKey }));

  for (let round = 0; round < count; round += 1) {
    await Promise.all(Array.from({ length: PROCESSES }, () => pick(runners)(app, 'activate', pick(licenses).key)));
    // A seat that could not be freed at once is freed at the next start.
    await pick(runners)(app, 'check');
    const file = readdirSync(app).find((name) => name.startsWith('license-key-service.') && !name.includes('.device.')) ?? '';
    const held = (JSON.parse(readFileSync(join(app, file), 'utf8')) as { key: string }).key;
    const seats = await Promise.all(
      licenses.map(async (license) => [license.key === held ? 'held' : 'replaced', (await getLicense(license.id)).seats.used] as const),
    );
    expect([round, ...seats.map(([what, used]) => `${what}: ${used}`).sort()]).toEqual([round, 'held: 1', 'replaced: 0']);
    expect(readdirSync(app).filter((name) => /\.(lock|tmp)$/.test(name))).toEqual([]);
  }
});
