import classes from './spinner.module.css';

/** A turning circle. If the operator prefers reduced motion, the circle fades in and out instead. */
export const Spinner = () => (
  <svg className={classes['spinner']} viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
    <circle cx="10" cy="10" r="8" />
    <path d="M10 2a8 8 0 0 1 8 8" />
  </svg>
);
