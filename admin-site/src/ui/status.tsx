import type { Delivery, License, Payment, Release } from '../api';
import classes from './status.module.css';

type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'accent';

type AnyStatus = License['status'] | Delivery['status'] | Payment['status'] | Release['status'];

const tones: Readonly<Record<AnyStatus, Tone>> = {
  active: 'good',
  expired: 'warn',
  suspended: 'warn',
  revoked: 'bad',
  delivered: 'good',
  failed: 'bad',
  skipped: 'idle',
  pending: 'accent',
  done: 'good',
  ignored: 'idle',
  held: 'bad',
  waiting: 'accent',
  draft: 'idle',
  published: 'good',
  yanked: 'bad',
};

const meanings: Partial<Readonly<Record<AnyStatus, string>>> = {
  suspended: 'Refused until it is reinstated',
  skipped: 'No webhook URL was set, or the webhook does not include this event',
  held: 'A sale that can’t be processed yet: the reason says what is missing',
  waiting: 'Processed as soon as the rest of its order arrives',
  ignored: 'Requires no action',
  draft: 'Offered to nobody until it is published',
  yanked: 'Withdrawn: neither offered nor downloadable',
};

export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A status as a coloured word. The colour only repeats the meaning of the word. @param words replaces the word */
export function Status({ status, words }: { status: keyof typeof tones; words?: string }) {
  return (
    <span className={`${classes['status'] ?? ''} ${classes[tones[status]] ?? ''}`} title={meanings[status]}>
      <span className={status === 'pending' ? classes['pulse'] : classes['dot']} />
      {words ?? capitalized(status)}
    </span>
  );
}
