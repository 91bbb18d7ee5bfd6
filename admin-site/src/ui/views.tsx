import { Link } from '../router';
import classes from './views.module.css';

/** Links between the views of the same data, such as numbers of days. */
export const Views = ({
  label,
  views,
}: {
  label: string;
  views: readonly { readonly name: string; readonly to: string; readonly isCurrent: boolean }[];
}) => (
  <nav className={classes['views']} aria-label={label}>
    {views.map(({ name, to, isCurrent }) => (
      <Link key={name} to={to} {...(isCurrent && { 'aria-current': 'true' as const })}>
        <bdi>{name}</bdi>
      </Link>
    ))}
  </nav>
);
