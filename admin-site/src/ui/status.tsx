import type { Delivery, License } from '../api';
import classes from './status.module.css';

type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'accent';

const tones: Readonly<Record<License['status'] | Delivery['status'], Tone>> = {
  active: 'good',
  suspended: 'warn',
  expired: 'warn',
  revoked: 'bad',
  delivered: 'good',
  failed: 'bad',
  skipped: 'idle',
  pending: 'accent',
};

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A status as a coloured word: the word tells it too. */
export function Status({ status }: { status: keyof typeof tones }) {
  return (
    <span className={`${classes['status'] ?? ''} ${classes[tones[status]] ?? ''}`}>
      <span className={status === 'pending' ? classes['pulse'] : classes['dot']} />
      {capitalized(status)}
    </span>
  );
}
