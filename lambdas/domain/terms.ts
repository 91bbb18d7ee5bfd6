import type { License } from './license';

/**
 * The terms of a license, for meters that count by term (docs/spec/meters.md, Periods). A term begins at the issue, with the first
 * activation if the license waits for it, with each paid period, and with a renewal. The current term is the one with the latest start that
 * is not in the future. Times are epoch ms.
 */

/** Maximum number of future starts that a license keeps. */
const MAX_FUTURE = 12;

type Terms = Pick<License, 'created_at' | 'term_starts'>;

/** The start of the current term. */
export const termStart = ({ created_at, term_starts }: Terms, now: number): number =>
  Math.max(created_at, ...term_starts.filter((start) => start <= now));

/** The start of the next known term; null if none is known. */
export const nextTerm = ({ term_starts }: Terms, after: number): number | null => term_starts.find((start) => start > after) ?? null;

/**
 * The known starts after a further start became known: the current start and the nearest future ones. The result does not depend on the
 * order in which starts become known, and a repetition changes nothing.
 */
export function withTerm(license: Terms, start: number, now: number): readonly number[] {
  const all = [...new Set([...license.term_starts, start])].sort((a, b) => a - b);
  const current = termStart({ ...license, term_starts: all }, now);
  return [...(current > license.created_at ? [current] : []), ...all.filter((one) => one > now).slice(0, MAX_FUTURE)];
}
