import classes from './share.module.css';

/** A bar that shows how much is used of what is available. The text next to it says the same, so screen readers skip the bar. */
export const Share = ({ used, of, className = '' }: { used: number; of: number; className?: string | undefined }) => (
  <svg className={`${classes['bar'] ?? ''} ${className}`} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect className={classes['track']} width="100" height="6" />
    <rect className={used >= of ? classes['full'] : classes['fill']} width={used === 0 ? 0 : Math.min(100, (used / of) * 100)} height="6" />
  </svg>
);
