import semver from 'semver';
import { releaseStatuses, version as versionSchema, type Architecture, type Platform } from '../../../lambdas/contract/resources/release';
import { SEMVER } from '../../../lambdas/contract/semver';
import { catalogueEntry, targetBit, withRelease, type Catalogue } from '../../../lambdas/domain/releases/catalogue';
import { newRelease, publish, type Release } from '../../../lambdas/domain/releases/release';
import { versionPosition } from '../../../lambdas/domain/releases/version';
import { MAX_CATALOGUE_BYTES, packCatalogue, toCatalogue } from '../../../lambdas/store/releases/catalogue';

/**
 * If these tests fail, an updater may treat an older version as newer. The updater then installs the older version, or never stops
 * updating.
 */

/** A linear congruential generator, which gives the same pairs in every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function randomVersion(random: (below: number) => number): string {
  const number = (): string => String([0, 1, 2, 9, 10, 11, 99, 100, 2026, Number.MAX_SAFE_INTEGER][random(10)]);
  const identifier = (): string =>
    random(2) === 0 ? number() : (['alpha', 'beta', 'rc', 'rc-1', 'RC', 'a', 'a-', 'A0', '-', '0a', 'x1'][random(11)] ?? 'a');
  const core = [number(), number(), number()].join('.');
  const prerelease = random(2) === 0 ? '' : `-${Array.from({ length: 1 + random(4) }, identifier).join('.')}`;
  return core + prerelease + (random(4) === 0 ? `+build.${random(100)}` : '');
}

test('positions order versions as the semver package does, in 10,000 random pairs', () => {
  const random = randomNumbers(1);
  const wrong: unknown[] = [];
  for (let pair = 0; pair < 10_000; pair += 1) {
    const a = randomVersion(random);
    // Half of the pairs of versions differ only in one number.
    const b = random(2) === 0 ? randomVersion(random) : a.replace(/\d+/, String(random(3)));
    const [left, right] = [versionPosition(a), versionPosition(b)];
    const order = left === right ? 0 : left < right ? -1 : 1;
    // DynamoDB compares keys by their bytes, so the test compares bytes too.
    const stored = Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)));
    const expected = semver.compare(a, b);
    if (order !== expected || stored !== expected) wrong.push({ a, b, order, stored, expected });
  }
  expect(wrong).toEqual([]);
});

test.each(['1.10.0 > 1.9.0', '2.0.0 > 2.0.0-rc.1', '1.0.0-rc.2 > 1.0.0-rc.1.9', '1.0.0-a.b > 1.0.0-a', '1.0.0-a > 1.0.0-9'])(
  '%s',
  (text) => {
    const [newer = '', older = ''] = text.split(' > ');
    expect(versionPosition(newer) > versionPosition(older)).toBe(true);
  },
);

test('build metadata makes no difference', () => expect(versionPosition('1.0.0+a')).toBe(versionPosition('1.0.0+b.7')));

test.each([
  '1',
  '1.2',
  'v1.2.3',
  '01.2.3',
  '1.2.3-',
  '1.2.3-01',
  '1.2.3-a..b',
  '1.2.3+',
  '1.2.3 ',
  '1.2.3\n',
  '',
  '1.2.3-ä',
  `1.2.${'9'.repeat(17)}`,
])('%j is no version, here and for the semver package', (text) => {
  expect(versionSchema.safeParse(text).success).toBe(false);
  if (!/\s/.test(text)) expect(text.startsWith('v') ? null : semver.valid(text)).toBeNull();
});

test('the longest version fits into a cursor', () => {
  const longest = `0.0.0-${Array.from({ length: 47 }, () => '0').join('.')}`;
  expect(versionSchema.safeParse(longest).success).toBe(true);
  expect(SEMVER.test(longest)).toBe(true);
  expect(versionPosition(longest).length).toBeLessThanOrEqual(150);
});

const artifact = (filename: string, platform: Platform, arch: Architecture, signature: string | null = null) => ({
  filename,
  platform,
  arch,
  signature,
  size: 1,
  sha256: '0'.repeat(64),
  sha512: '0'.repeat(128),
  content_type: 'application/zip',
  block_map_size: null,
});

const draft = (id: number, version: string, fields: Partial<Release> = {}): Release => ({
  ...newRelease({ id, product_id: 1, created_at: 1000 }, { version }),
  artifacts: [artifact('app.exe', 'windows', 'x64')],
  ...fields,
});
const published = (id: number, version: string, fields: Partial<Release> = {}): Release => {
  const release = publish(draft(id, version, fields), () => true, 2000);
  if ('failure' in release) throw new Error(release.detail);
  return release;
};

describe('the catalogue of a channel', () => {
  test('contains published releases only, newest version first', () => {
    const statuses = releaseStatuses.map((status, id) => ({ ...published(id + 10, `9.0.${id}`), status }));
    const releases = [published(1, '1.9.0'), published(2, '1.10.0'), published(3, '1.10.0-rc.1'), ...statuses];
    const catalogue = releases.reduce<Catalogue>(withRelease, []);
    expect(catalogue.map(({ version }) => version)).toEqual(['9.0.1', '1.10.0', '1.10.0-rc.1', '1.9.0']);
    expect(withRelease(catalogue, { ...published(2, '1.10.0'), status: 'yanked' }).map(({ id }) => id)).toEqual([11, 3, 1]);
  });

  test('says for which platforms there are files and for which platforms there are signed files; it contains no block maps', () => {
    const entry = catalogueEntry(
      published(1, '1.0.0', {
        artifacts: [
          artifact('a.exe', 'windows', 'x64'),
          artifact('a.app.tar.gz', 'macos', 'universal', 'sig'),
          artifact('b.exe.blockmap', 'windows', 'arm64'),
        ],
      }),
    );
    expect(entry).toMatchObject({
      targets: targetBit('windows', 'x64') | targetBit('macos', 'universal'),
      signed: targetBit('macos', 'universal'),
    });
  });

  test('of 2,000 releases with features takes less than a sixth of a row, and is read back unchanged', () => {
    const features = ['export', 'sync', 'ai'];
    const catalogue = Array.from({ length: 2000 }, (_, id) =>
      published(id + 1, `${id % 7}.${id}.0-nightly.${20_260_000 + id}+5114f85a0c1e`, {
        features: features.slice(0, id % 4),
        released_at: 1.7e12 + id * 7919,
      }),
    ).reduce<Catalogue>(withRelease, []);
    const bytes = packCatalogue(catalogue);
    expect(bytes.length).toBeLessThan(MAX_CATALOGUE_BYTES / 6);
    expect(toCatalogue({ pk: 'x', sk: 'x', entries: bytes, revision: 1 }).catalogue).toEqual(catalogue);
  });
});
