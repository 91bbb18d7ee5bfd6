import type { License } from '../api';
import { number, plural } from '../texts';
import { Share } from './share';
import classes from './seats.module.css';

/** The used seats, as text and as a bar. */
export function Seats({ seats: { used, max }, wide = false }: { seats: License['seats']; wide?: boolean }) {
  const words =
    max === 0
      ? plural(used, '{count} seat used, unlimited', '{count} seats used, unlimited')
      : plural(max, '{used} of {count} seat used', '{used} of {count} seats used', { used: number(used) });
  const short = max === 0 ? `${number(used)} / ∞` : `${number(used)} / ${number(max)}`;
  return (
    <span className={wide ? classes['wide'] : classes['seats']}>
      <span className={classes['words']} title={words}>
        {wide ? (
          words
        ) : (
          <span aria-label={words} role="img">
            {short}
          </span>
        )}
      </span>
      {max > 0 && <Share used={used} of={max} className={wide ? undefined : classes['bar']} />}
    </span>
  );
}
