import { SEMVER } from '../contract/semver';
import { addDays, type License } from './license';
import { withTerm } from './terms';

/**
 * Decides which releases a license covers (docs/spec/releases.md, What a license covers). The decision compares the license's limits with
 * the date and the version of the release, never with the current time. `client/vectors/coverage.json` has cases that the client library of
 * every language must pass.
 */

/** The limits of a license. A field that is null sets no limit. */
export type CoverageLimits = Pick<License, 'updates_until' | 'max_major'>;

/** The known facts about a release. */
export interface ReleaseFacts {
  readonly version?: string | null | undefined;
  /** The date of the release, in epoch ms. */
  readonly released_at?: number | null | undefined;
}

const DOTTED = /^\d+(\.\d+)*$/;

/**
 * The major number of a version; undefined if the text is not a version. A version has the format of semver, or consists of digits and
 * dots; a leading `v` is allowed.
 */
export function majorOf(version: string): number | undefined {
  const plain = version.replace(/^v/, '');
  return SEMVER.test(plain) || DOTTED.test(plain) ? Number(/^\d+/.exec(plain)?.[0]) : undefined;
}

/**
 * Whether a license covers a release: at least one of the two limits allows the release. A limit that is not set is ignored.
 * `updates_until` is also ignored if the release has no date, and `max_major` if the release has no readable version. If both limits are
 * ignored, the release is covered.
 */
export function covers({ updates_until, max_major }: CoverageLimits, { version, released_at }: ReleaseFacts): boolean {
  const major = version == null ? undefined : majorOf(version);
  const judged = [
    ...(updates_until !== null && released_at != null ? [released_at <= updates_until] : []),
    ...(max_major !== null && major !== undefined ? [major <= max_major] : []),
  ];
  return judged.length === 0 || judged.includes(true);
}

/**
 * The fields that change when the license's first activation starts the waiting term: the term, the expiry and the end of updates. Empty if
 * no term is waiting.
 */
export function startedTerm(
  license: License,
  now: number,
): Partial<Pick<License, 'term' | 'expires_at' | 'updates_until' | 'term_starts'>> {
  const { term } = license;
  if (!term) return {};
  return {
    term: null,
    expires_at: addDays(now, term.days),
    updates_until: startedUpdates(license, now),
    term_starts: withTerm(license, now, now),
  };
}

/** The end of a license's updates. If a term is waiting for the first activation, the end is computed as if the term started now. */
export const startedUpdates = ({ term, updates_until }: Pick<License, 'term' | 'updates_until'>, now: number): number | null =>
  term?.updates_days == null ? updates_until : addDays(now, term.updates_days);

/**
 * The limits that decide whether a license covers a release. If the license's term has not started, the limits are computed as if the term
 * started now.
 */
export const limitsOf = (license: License, now: number): CoverageLimits => ({
  max_major: license.max_major,
  updates_until: startedUpdates(license, now),
});
