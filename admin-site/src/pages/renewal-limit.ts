import { DAY_MS } from '../../../lambdas/domain/time';

/** The present time or the current end, whichever is later. A renewal begins at this time. */
export const startOf = (end: string | null, now = Date.now()): number => Math.max(now, end === null ? 0 : Date.parse(end));

/** The latest new end (epoch ms) that a renewal may have. @param limit the token's `renewal_days`; null: no limit */
export const latestEnd = (limit: number | null, now = Date.now()): number => (limit === null ? Infinity : now + limit * DAY_MS);

/** The number of days by which a renewal is possible now. */
export const mostDays = (end: string | null, limit: number | null, now = Date.now()): number =>
  Math.max(0, Math.floor((latestEnd(limit, now) - startOf(end, now)) / DAY_MS));
