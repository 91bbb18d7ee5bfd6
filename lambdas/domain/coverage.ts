import { SEMVER } from '../contract/semver';
import { addDays, type License } from './license';

/**
 * Which releases a license covers (docs/spec/releases.md, What a license covers). No clock is involved: one date is the license's, the
 * other belongs to the release. `client/vectors/coverage.json` has cases that every language must pass.
 */

/** The limits of a license; null: no such limit. */
export type CoverageLimits = Pick<License, 'updates_until' | 'max_major'>;

/** What is known of a release. */
export interface ReleaseFacts {
  readonly version?: string | null | undefined;
  /** Epoch ms. */
  readonly released_at?: number | null | undefined;
}

const DOTTED = /^\d+(\.\d+)*$/;

/** The major number of a version: semver, or digits with dots; a leading `v` is allowed. Undefined if it is neither. */
export function majorOf(version: string): number | undefined {
  const plain = version.replace(/^v/, '');
  return SEMVER.test(plain) || DOTTED.test(plain) ? Number(/^\d+/.exec(plain)?.[0]) : undefined;
}

/**
 * Whether a release is covered. The limits are additive. A limit that can't be judged, because the
 * release's date or a readable version is missing, is left out; if no limit is left, the release is covered.
 */
export function covers({ updates_until, max_major }: CoverageLimits, { version, released_at }: ReleaseFacts): boolean {
  const major = version == null ? undefined : majorOf(version);
  const judged = [
    ...(updates_until !== null && released_at != null ? [released_at <= updates_until] : []),
    ...(max_major !== null && major !== undefined ? [major <= max_major] : []),
  ];
  return judged.length === 0 || judged.includes(true);
}

/** What a license that waits for its first activation gets when its term starts; nothing for one that doesn't wait. */
export function startedTerm(
  { term, updates_until }: License,
  now: number,
): Partial<Pick<License, 'term' | 'expires_at' | 'updates_until'>> {
  if (!term) return {};
  return { term: null, expires_at: addDays(now, term.days), updates_until: startedUpdates({ term, updates_until }, now) };
}

/** The end of the updates if the term starts now. */
export const startedUpdates = ({ term, updates_until }: Pick<License, 'term' | 'updates_until'>, now: number): number | null =>
  term?.updates_days == null ? updates_until : addDays(now, term.updates_days);

/** The limits that a release is judged by: of a term that has not started, as if it started now. */
export const limitsOf = (license: License, now: number): CoverageLimits => ({
  max_major: license.max_major,
  updates_until: startedUpdates(license, now),
});
