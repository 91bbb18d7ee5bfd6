/**
 * The coverage vectors say which releases a license covers (docs/spec/releases.md, What a license covers). They combine limits of the
 * license with versions and release dates.
 */

export interface CoverageVector {
  readonly name: string;
  /** The license's limits, with their names in a token. A limit is absent if the license doesn't have it. */
  readonly updates_until?: string;
  readonly max_major?: number;
  /** The release, as the app describes it. A field is absent if the app doesn't know it. */
  readonly version?: string;
  readonly released_at?: string;
  readonly covered: boolean;
}

export interface CoverageVectors {
  readonly about: string;
  readonly cases: readonly CoverageVector[];
}

const until = { updates_until: '2027-11-20T13:54:00.000Z' };
const before = { released_at: '2027-11-20T13:53:59.999Z' };
const at = { released_at: '2027-11-20T13:54:00.000Z' };
const after = { released_at: '2027-11-20T13:54:00.001Z' };
const major = { max_major: 3 };

/** Versions for the limit `max_major: 3`, each with its major version; null if the text is not a version. The limit is then ignored. */
const versions: readonly (readonly [version: string, major: number | null])[] = [
  ['3.9.9', 3],
  ['4.0.0', 4],
  ['v3.0.0', 3],
  ['v4.0.0', 4],
  ['4.0.0-rc.1', 4],
  ['3.0.0-beta+build.5', 3],
  ['3.1.4.1', 3],
  ['4.1.4.1', 4],
  ['3', 3],
  ['4', 4],
  ['v4', 4],
  ['3.0', 3],
  ['10.0.0', 10],
  ['0.9.0', 0],
  ['03.1', 3],
  ['2026.11.20', 2026],
  ['99999999999999999999.0.0', Number.MAX_SAFE_INTEGER],
  ['', null],
  ['four', null],
  ['4.x', null],
  ['4.', null],
  ['.4', null],
  ['4..0', null],
  ['-4.0.0', null],
  ['vv4.0.0', null],
  ['V4.0.0', null],
  ['v 4.0.0', null],
  ['version 4.0.0', null],
  ['4.0-rc.1', null],
  ['4.0.0.0-rc.1', null],
  ['4.0.0-', null],
  ['4.0.0-rc..1', null],
  ['4.0.0-01', null],
  ['４.0.0', null],
  ['4.0.0\n', null],
];

const dates = [
  ['before the end of updates', before, true],
  ['at the end of updates', at, true],
  ['after the end of updates', after, false],
] as const;

export const coverageVectors: CoverageVectors = {
  about:
    'Whether a license covers a release. A limit that cannot be compared with the release is ignored. The release is covered if no limit remains, or if one remaining limit covers it.',
  cases: [
    { name: 'no limit, nothing known', covered: true },
    { name: 'no limit, a version', version: '9.0.0', covered: true },
    { name: 'no limit, a date', ...after, covered: true },
    { name: 'no limit, both', version: '9.0.0', ...after, covered: true },
    { name: 'both limits, nothing known', ...until, ...major, covered: true },
    { name: 'a date with an offset, the same instant', ...until, released_at: '2027-11-20T14:54:00+01:00', covered: true },
    { name: 'a date with an offset, later', ...until, released_at: '2027-11-20T12:54:01-01:00', covered: false },
    { name: 'a date without a fraction', ...until, released_at: '2027-11-20T13:54:00Z', covered: true },
    { name: 'the limit 0, major 0', max_major: 0, version: '0.1.0', covered: true },
    { name: 'the limit 0, major 1', max_major: 0, version: '1.0.0', covered: false },
    { name: 'a limit by version, only a date', ...major, ...after, covered: true },
    { name: 'a limit by date, only a version', ...until, version: '9.0.0', covered: true },
    { name: 'a limit by date, an unreadable version and no date', ...until, version: 'four', covered: true },
    ...dates.map(([name, date, covered]) => ({ name, ...until, ...date, covered })),
    ...dates.map(([name, date]) => ({
      name: `${name}, within the limit by version`,
      ...until,
      ...major,
      version: '3.0.0',
      ...date,
      covered: true,
    })),
    ...dates.map(([name, date, covered]) => ({
      name: `${name}, beyond the limit by version`,
      ...until,
      ...major,
      version: '4.0.0',
      ...date,
      covered,
    })),
    ...dates.map(([name, date, covered]) => ({
      name: `${name}, an unreadable version`,
      ...until,
      ...major,
      version: 'four',
      ...date,
      covered,
    })),
    { name: 'both limits, only a version within', ...until, ...major, version: '3.0.0', covered: true },
    { name: 'both limits, only a version beyond', ...until, ...major, version: '4.0.0', covered: false },
    ...versions.map(([version, read]) => ({
      name: `version ${JSON.stringify(version)}`,
      ...major,
      version,
      covered: read === null || read <= 3,
    })),
    ...versions
      .filter(([, read]) => read === null)
      .map(([version]) => ({
        name: `version ${JSON.stringify(version)}, after the end of updates`,
        ...until,
        ...major,
        version,
        ...after,
        covered: false,
      })),
  ],
};
