import { Button, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api';
import { href, Link } from '../router';
import { RefreshIcon, SearchIcon, WarningIcon } from './icons';
import classes from './states.module.css';

/** What is shown before the first answer: lines where the content will be. */
export function Loading({ lines = 5, what = 'Loading' }: { lines?: number; what?: string }) {
  return (
    <div className={classes['loading']} role="status" aria-label={what}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={classes['line']} />
      ))}
    </div>
  );
}

/** Something is on its way, and how far. */
export function Working({ children }: { children: ReactNode }) {
  return (
    <p className={classes['working']} role="status">
      <Loader size="xs" /> {children}
    </p>
  );
}

/** There is nothing here yet, and what to do about it. */
export function Empty({ icon, title, children, action }: { icon?: ReactNode; title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes['empty']}>
      {icon && <span className={classes['picture']}>{icon}</span>}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** A sentence and a request id from an error. */
export function Problem({ error }: { error: Error }) {
  return (
    <div className={classes['problem']} role="alert">
      <WarningIcon size={18} />
      <div>
        <bdi>{error.message}</bdi>
        {error instanceof ApiError && error.status >= 500 && error.requestId !== null && <div className={classes['request']}>Request {error.requestId}</div>}
      </div>
    </div>
  );
}

/** A part of the page that could not be loaded, with another try. */
export function Failed({ error, retry, busy }: { error: Error; retry: () => void; busy: boolean }) {
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Empty icon={<SearchIcon size={26} />} title={error.message} action={<Link to={href('/')}>All products</Link>}>
        The address may be mistyped, or what it names is not there any more.
      </Empty>
    );
  }
  return (
    <div className={classes['failed']}>
      <Problem error={error} />
      <Button variant="default" leftSection={<RefreshIcon size={16} />} onClick={retry} loading={busy}>
        Try again
      </Button>
    </div>
  );
}

/** What is used of a query here, be it of one answer or of pages. */
interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

/** Shows a query's data, or how its loading stands. Data that is there stays while newer is on its way. */
export function Loaded<Data>({ query, lines, children }: { query: Query<Data>; lines?: number; children: (data: Data) => ReactNode }) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error && <Failed error={query.error} retry={() => query.refetch()} busy={query.isFetching} />}
        {children(query.data)}
      </>
    );
  }
  if (query.error) return <Failed error={query.error} retry={() => query.refetch()} busy={query.isFetching} />;
  return <Loading {...(lines !== undefined && { lines })} />;
}
