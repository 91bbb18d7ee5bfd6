import { Button } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { ApiError } from '../api';
import { href, Link } from '../router';
import { plural, t } from '../texts';
import { RefreshIcon, SearchIcon, WarningIcon } from './icons';
import { PageHead } from './page';
import { Spinner } from './spinner';
import classes from './states.module.css';

/** Milliseconds between attempts to load a part of the page while the service is not reachable. */
const RETRY_MS = 5000;

/** Placeholder lines until the first response. */
export function Loading({ lines = 5, what = t('Loading') }: { lines?: number; what?: string }) {
  return (
    <div className={classes['loading']} role="status" aria-label={what}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={classes['line']} />
      ))}
    </div>
  );
}

/** A message about work in progress. */
export function Working({ children }: { children: ReactNode }) {
  return (
    <p className={classes['working']} role="status">
      <Spinner /> {children}
    </p>
  );
}

/** A message for an empty list, with the next step. */
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

/** An error's message and request id. */
export function Problem({ error }: { error: Error }) {
  return (
    <div className={classes['problem']} role="alert">
      <WarningIcon size={18} />
      <div>
        <bdi>{error.message}</bdi>
        {error instanceof ApiError && error.status >= 500 && error.requestId !== null && (
          <div className={classes['request']}>{t('Request {id}', { id: error.requestId })}</div>
        )}
      </div>
    </div>
  );
}

/** The number of a list's entries that the service can't read, in all loaded pages. */
export const unreadableIn = (pages: ReadonlyArray<{ readonly unreadable: number }> = []): number =>
  pages.reduce((sum, { unreadable }) => sum + unreadable, 0);

/** Reports that entries are missing from a list. */
export function LeftOut({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <div className={classes['problem']} role="alert">
      <WarningIcon size={18} />
      <div>
        {plural(
          count,
          'One entry is missing here because the service can’t read the stored data. The runbook explains how to repair it.',
          '{count} entries are missing here because the service can’t read the stored data. The runbook explains how to repair it.',
        )}
      </div>
    </div>
  );
}

/** True if a retry may succeed. The service would repeat a refusal, so refusals are not retried. */
const mayPass = (error: Error): boolean => !(error instanceof ApiError && error.status < 500);

/** Shown for a part of the page that could not be loaded. A retry starts automatically if it may succeed, or on a click. */
export function Failed({ error, retry, busy }: { error: Error; retry: () => unknown; busy: boolean }) {
  useEffect(() => {
    if (busy || !mayPass(error)) return undefined;
    const timer = setTimeout(retry, RETRY_MS);
    return () => clearTimeout(timer);
  }, [busy, error, retry]);
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Empty icon={<SearchIcon size={26} />} title={error.message} action={<Link to={href('/')}>{t('All products')}</Link>}>
        {t('The address may be mistyped, or the entry may have been removed.')}
      </Empty>
    );
  }
  return (
    <div className={classes['failed']}>
      <Problem error={error} />
      <Button variant="default" leftSection={<RefreshIcon size={16} />} onClick={() => void retry()} loading={busy}>
        {t('Try again')}
      </Button>
    </div>
  );
}

/** The properties that `Loaded` needs from a query. The data of the query may be a single response or several pages. */
interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

/**
 * Shows a query's data, or its loading state. Old data stays visible while new data loads.
 *
 * @param page the title of the page, if the data fills the whole page. Until there is data, the title is shown as the heading
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
