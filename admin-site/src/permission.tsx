import { createContext, useCallback, useContext, useEffect, useState, type ReactNode } from 'react';
import { lackOf, permits, routeOf, type Lack, type Name } from './routes';
import { useSession } from './session';
import { listed, t } from './texts';
import classes from './permission.module.css';

/**
 * What the token permits. Data that the token may not read is hidden. Controls whose request the token may not send stay visible, but are
 * disabled, and the page says why. The service checks the permission again with each request.
 */

/** Returns a function that says whether the token may call an endpoint. Everything is shown while the permissions are unknown. */
export function useMay(): (name: Name) => boolean {
  const { access } = useSession();
  return useCallback((name) => access === undefined || permits(access, name), [access]);
}

/** What a token lacks, in words: `the scopes licenses and manage`. */
function wordsOf(lacks: readonly Lack[]): string {
  const [first, ...others] = [...new Set(lacks)].filter((lack) => lack !== 'all-products').sort();
  return listed([
    ...(first === undefined
      ? []
      : [
          others.length === 0 ? t('the scope {scope}', { scope: first }) : t('the scopes {scopes}', { scopes: listed([first, ...others]) }),
        ]),
    ...(lacks.includes('all-products') ? [t('access to all products')] : []),
  ]);
}

const Report = createContext<(lack: Lack) => () => void>(() => () => undefined);

/** Why the token may not call an endpoint, as a sentence; undefined if it may, or if a control calls no endpoint. */
export function useReadOnly(name: Name | undefined): string | undefined {
  const { access } = useSession();
  const report = useContext(Report);
  const lack = access === undefined || name === undefined ? undefined : lackOf(access, name);
  useEffect(() => (lack === undefined ? undefined : report(lack)), [report, lack]);
  return lack && t('Read-only: this token lacks {what}.', { what: wordsOf([lack]) });
}

/** A page. If some of its controls are disabled because of the token, the page begins with the reason. */
export function ReadOnlyReasons({ children }: { children: ReactNode }) {
  const [all, setAll] = useState<readonly Lack[]>([]);
  const report = useCallback((lack: Lack) => {
    setAll((before) => [...before, lack]);
    return () => setAll((before) => before.toSpliced(before.indexOf(lack), 1));
  }, []);
  return (
    <Report value={report}>
      {all.length > 0 && (
        <p role="note" className={classes['reasons']}>
          {t('Some controls are disabled, because this token lacks {what}.', { what: wordsOf(all) })}
        </p>
      )}
      {children}
    </Report>
  );
}

/** The controls of a request. They are disabled if the token may not send the request. @param call undefined: they send no request */
export function Controls({ call, children }: { call: Name | undefined; children: ReactNode }) {
  const reason = useReadOnly(call);
  return (
    <fieldset className={classes['controls']} disabled={reason !== undefined} aria-label={reason} title={reason}>
      {children}
    </fieldset>
  );
}

/** Something that belongs to a request: controls, or data that are shown only if the token may read them. */
export function May({ call, children }: { call: Name; children: ReactNode }) {
  const may = useMay();
  if (may(call)) return children;
  return routeOf(call)[0] === 'GET' ? null : <Controls call={call}>{children}</Controls>;
}
