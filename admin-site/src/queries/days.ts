import { dayStart } from '../format';

/** Ranges of days in filters. */

export interface DayRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Converts days to instants: `after` is the start of the first day, and `before` is the end of the last day. */
export const instantsOf = ({ from, to }: DayRange = {}): { after?: string; before?: string } => ({
  ...(from !== undefined && { after: new Date(dayStart(from)).toISOString() }),
  ...(to !== undefined && { before: new Date(dayStart(to, 1)).toISOString() }),
});
