import { Button } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { ApiError } from '../api';
import { number } from '../format';
import { href, Link } from '../router';
import { RefreshIcon, SearchIcon, WarningIcon } from './icons';
import { PageHead } from './page';
import { Spinner } from './spinner';
import classes from './states.module.css';

/** Milliseconds between the tries of a part of the page that could not be loaded, while the service is away. */
const RETRY_MS = 5000;

/** Before the first response: lines in the place of the content. */
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
      <Spinner /> {children}
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
        {error instanceof ApiError && error.status >= 500 && error.requestId !== null && (
          <div className={classes['request']}>Request {error.requestId}</div>
        )}
      </div>
    </div>
  );
}

/** Says that a list is not whole. */
export function LeftOut({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <div className={classes['problem']} role="alert">
      <WarningIcon size={18} />
      <div>
        {count === 1 ? 'One entry is' : `${number(count)} entries are`} missing here: the service can’t read what is stored. The runbook
        says what to do.
      </div>
    </div>
  );
}

/** Whether asking again may help: a refusal stays one. */
const mayPass = (error: Error): boolean => !(error instanceof ApiError && error.status < 500);

/** A part of the page that could not be loaded: tries again automatically, and at once on request. */
export function Failed({ error, retry, busy }: { error: Error; retry: () => unknown; busy: boolean }) {
  useEffect(() => {
    if (busy || !mayPass(error)) return undefined;
    const timer = setTimeout(retry, RETRY_MS);
    return () => clearTimeout(timer);
  }, [busy, error, retry]);
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
      <Button variant="default" leftSection={<RefreshIcon size={16} />} onClick={() => void retry()} loading={busy}>
        Try again
      </Button>
    </div>
  );
}

/** What is used of a query here, be it of one response or of pages. */
interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

/**
 * Shows a query's data, or the state of its loading. Data that is there stays while newer is on its way.
 *
 * @param page the title of the page that this is all of: it has a heading even without data
 */
export function Loaded<Data>({
  query,
  lines,
  page,
  children,
}: {
  query: Query<Data>;
  lines?: number;
  page?: string;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error && <Failed error={query.error} retry={query.refetch} busy={query.isFetching} />}
        {children(query.data)}
      </>
    );
  }
  return (
    <>
      {page !== undefined && <PageHead title={page} />}
      {query.error ? (
        <Failed error={query.error} retry={query.refetch} busy={query.isFetching} />
      ) : (
        <Loading {...(lines !== undefined && { lines })} />
      )}
    </>
  );
}
