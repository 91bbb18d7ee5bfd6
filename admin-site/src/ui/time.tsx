import { exactMoment, fromNow, moment } from '../format';

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
