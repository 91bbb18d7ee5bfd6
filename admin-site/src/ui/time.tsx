import { exactMoment, expiry, fromNow, moment, timeOfDay } from '../format';
import type { License } from '../api';
import classes from './time.module.css';

/** A moment in words, `3 hours ago` or `in 2 months`; the exact one shows on hover. */
export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at} title={exactMoment(at)}>
    {fromNow(at)}
  </time>
);

/** A moment as date and time. */
export const Moment = ({ at }: { at: string }) => (
  <time dateTime={at} title={exactMoment(at)}>
    {moment(at)}
  </time>
);

/** A time of the day with its seconds, for what happens within minutes. */
export const TimeOfDay = ({ at }: { at: string }) => (
  <time dateTime={at} title={exactMoment(at)}>
    {timeOfDay(at)}
  </time>
);

/** When a license expires, for a column of its own: past and near ones stand out. */
export function Expiry({ license }: { license: Pick<License, 'status' | 'expires_at'> }) {
  const { short, tone, date } = expiry(license);
  return license.expires_at === null ? (
    <span className={classes['calm']}>{short}</span>
  ) : (
    <time dateTime={license.expires_at} title={date} className={classes[tone]}>
      {short}
    </time>
  );
}
