import type { Delivery } from '../api';
import type { ShownStatus } from '../format';
import classes from './status.module.css';

type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'accent';

const tones: Readonly<Record<ShownStatus | Delivery['status'], Tone>> = {
  active: 'good',
  lapsed: 'warn',
  expired: 'warn',
  suspended: 'warn',
  revoked: 'bad',
  delivered: 'good',
  failed: 'bad',
  skipped: 'idle',
  pending: 'accent',
};

const meanings: Partial<Readonly<Record<ShownStatus | Delivery['status'], string>>> = {
  lapsed: 'Past its expiry. It becomes expired when an app checks it.',
  suspended: 'Refused until it is reinstated',
  skipped: 'No webhook URL was set for it, or the webhook leaves this event out',
};

export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A status as a coloured word: the word says it too. */
export function Status({ status }: { status: keyof typeof tones }) {
  return (
    <span className={`${classes['status'] ?? ''} ${classes[tones[status]] ?? ''}`} title={meanings[status]}>
      <span className={status === 'pending' ? classes['pulse'] : classes['dot']} />
      {capitalized(status)}
    </span>
  );
}
