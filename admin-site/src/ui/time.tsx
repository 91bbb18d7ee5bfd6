import { dayName, daysAgo, exactMoment, expiry, fromNow, moment, timeOfDay } from '../format';
import type { License } from '../api';
import classes from './time.module.css';

/** A relative time such as `3 hours ago` or `in 2 months`, with the exact time on hover. */
export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at} title={exactMoment(at)}>
    {fromNow(at)}
  </time>
);

/** A UTC day such as `2026-11-20`, in relation to today: `today`, `yesterday`, `3 days ago`. */
export const SeenOn = ({ day }: { day: string }) => (
  <time dateTime={day} title={dayName(day)}>
    {daysAgo(day)}
  </time>
);

/** A date with time. */
export const Moment = ({ at }: { at: string }) => (
  <time dateTime={at} title={exactMoment(at)}>
    {moment(at)}
  </time>
);

/** A time of day with seconds. */
export const TimeOfDay = ({ at }: { at: string }) => (
  <time dateTime={at} title={exactMoment(at)}>
    {timeOfDay(at)}
  </time>
);

/** The expiry of a license, for a column of a table. An expiry that is past or near is highlighted. */
export function Expiry({ license }: { license: Pick<License, 'status' | 'expires_at' | 'term'> }) {
  const { short, tone, date } = expiry(license);
  return license.expires_at === null ? (
    <span className={classes['calm']}>{short}</span>
  ) : (
    <time dateTime={license.expires_at} title={date} className={classes[tone]}>
      {short}
    </time>
  );
}
