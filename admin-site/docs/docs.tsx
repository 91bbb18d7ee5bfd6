import { useEffect, useMemo, useState } from 'react';
import { useSession } from '../src/session';
import { chapters, partsOf } from './chapters';
import { Markdown, slugOf } from './markdown';
import { groupsOf, searchable, type Document, type Group, type Operation } from './openapi';
import { OperationBlock } from './operation';
import type { Credentials } from './samples';

/** The API reference, made from the OpenAPI document: operations, responses, code samples, and a form to try each request. */

function useDocument(): { readonly document?: Document; readonly error?: Error } {
  const [state, setState] = useState<{ readonly document?: Document; readonly error?: Error }>({});
  useEffect(() => {
    fetch('/openapi.json')
      .then(async (response) => {
        if (!response.ok) throw new Error(`/openapi.json responded with status ${response.status}`);
        return (await response.json()) as Document;
      })
      .then(
        (document) => setState({ document }),
        (error: Error) => setState({ error }),
      );
  }, []);
  return state;
}

/** The id of the chapter or operation to show: the last part of the URL's fragment. */
const target = (): string => decodeURIComponent(window.location.hash.slice(1).split('/').at(-1) ?? '');

/** The number of frames in which the page repeats the scrolling. After these frames, the content above the target has its final height. */
const SETTLING_FRAMES = 30;

/**
 * Scrolls to an element, and repeats the scrolling while the browser lays out the content above the element. The repetition stops when the
 * reader scrolls.
 *
 * @returns a function that stops the repetition
 */
function scrollTo(id: string): () => void {
  const signs = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;
  let frames = SETTLING_FRAMES;
  const stop = (): void => {
    frames = 0;
    for (const sign of signs) window.removeEventListener(sign, stop);
  };
  const settle = (): void => {
    if (frames === 0) return stop();
    frames -= 1;
    window.document.getElementById(id)?.scrollIntoView();
    requestAnimationFrame(settle);
  };
  for (const sign of signs) window.addEventListener(sign, stop, { passive: true });
  settle();
  return stop;
}

/** Scrolls to the element that the URL names, as soon as the element exists. */
function useTarget(ready: boolean): string {
  const [current, setCurrent] = useState(target);
  useEffect(() => {
    if (!ready) return undefined;
    // After a reload, the browser would restore the old scroll position, which is wrong if the page's height has changed.
    window.history.scrollRestoration = 'manual';
    let stop = (): void => undefined;
    const show = (): void => {
      stop();
      setCurrent(target());
      stop = scrollTo(target());
    };
    show();
    window.addEventListener('hashchange', show);
    return () => {
      stop();
      window.removeEventListener('hashchange', show);
    };
  }, [ready]);
  return current;
}

function Contents({ document, groups, current }: { document: Document; groups: readonly Group[]; current: string }) {
  const [filter, setFilter] = useState('');
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const index = useMemo(
    () =>
      new Map(groups.flatMap(({ operations }) => operations.map((operation) => [operation.id, searchable(document, operation)] as const))),
    [document, groups],
  );
  const isNamed = ({ id }: Operation): boolean => words.every((word) => index.get(id)?.title.includes(word));
  const fits = ({ id }: Operation): boolean => {
    const { title = '', text = '', names } = index.get(id) ?? {};
    return words.every((word) => title.includes(word) || text.includes(word) || names?.has(word));
  };
  // On a phone the table of contents is closed at first, because it would hide the text.
  const [unfolded, setUnfolded] = useState(false);
  const matching = groups
    .map((group) => ({ ...group, operations: group.operations.filter(fits) }))
    .filter(({ operations }) => operations.length > 0);
  // Operations with the filter's words in their titles come first.
  const shown =
    words.length === 0
      ? matching
      : [...matching]
          .sort((a, b) => Number(b.operations.some(isNamed)) - Number(a.operations.some(isNamed)))
          .map((group) => ({
            ...group,
            operations: [...group.operations].sort((a, b) => Number(isNamed(b)) - Number(isNamed(a))),
          }));
  return (
    <nav className={unfolded ? 'contents unfolded' : 'contents'} aria-label="Contents">
      <button type="button" className="fold quiet" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
        Contents
      </button>
      <input
        type="search"
        aria-label="Filter the operations"
        placeholder="Name, field or error code"
        value={filter}
        onChange={(event) => {
          setFilter(event.currentTarget.value);
          setUnfolded(true);
        }}
        autoComplete="off"
        spellCheck={false}
      />
      {/* A click on a link closes the table of contents, because on a phone it would hide the text. */}
      <div className="entries" onClick={(event) => event.target instanceof Element && event.target.closest('a') && setUnfolded(false)}>
        {words.length === 0 && (
          <ul>
            {chapters.map(({ title }) => (
              <li key={title}>
                <a href={`#${slugOf(title)}`} aria-current={current === slugOf(title) ? 'location' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        )}
        {shown.map(({ name, operations }) => (
          <div key={name}>
            <p>{name}</p>
            <ul>
              {operations.map(({ id, method, summary }) => (
                <li key={id}>
                  <a href={`#${id}`} aria-current={current === id ? 'location' : undefined}>
                    <span className={`method ${method}`}>{method === 'EVENT' ? '' : method}</span>
                    {summary}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {shown.length === 0 && <p role="status">No operation matches “{filter}”.</p>}
      </div>
    </nav>
  );
}

function Keys({
  document,
  credentials,
  signedIn,
  onChange,
}: {
  document: Document;
  credentials: Credentials;
  /** The name of the credential with which the operator is signed in to the admin page; undefined if not signed in. */
  signedIn: string | undefined;
  onChange: (credentials: Credentials) => void;
}) {
  return (
    <div className="keys">
      {Object.entries(document.components.securitySchemes ?? {}).map(([scheme, { name, description }]) => (
        <label key={scheme}>
          <code>{name}</code>
          <input
            type="password"
            autoComplete="off"
            value={credentials[scheme] ?? ''}
            placeholder={scheme === signedIn ? 'The token of the admin page' : ''}
            onChange={(event) => onChange({ ...credentials, [scheme]: event.currentTarget.value })}
          />
          {description && <span className="dim">{description}</span>}
          {scheme === signedIn && (
            <span className="dim" role="status">
              You are signed in on the admin page. Its token is used unless you enter another one.
            </span>
          )}
        </label>
      ))}
      <p className="dim">Credentials stay in this page’s memory, are sent only to this origin, and are forgotten when you leave.</p>
    </div>
  );
}

export function Docs() {
  const { document, error } = useDocument();
  const [language, setLanguage] = useState('curl');
  const [credentials, setCredentials] = useState<Credentials>({});
  const current = useTarget(document !== undefined);
  const { token } = useSession();
  const groups = useMemo(() => (document ? groupsOf(document) : []), [document]);
  if (error)
    return (
      <p role="alert" className="problem">
        The reference could not be loaded: {error.message}. <a href="">Try again</a>
      </p>
    );
  if (!document)
    return (
      <p role="status" className="problem">
        Loading the reference…
      </p>
    );
  const { description = '' } = document.info;
  const admin = Object.entries(document.components.securitySchemes ?? {}).find(([, { name }]) => name === 'X-Svc-Admin-Token')?.[0];
  const signedIn = token === null ? undefined : admin;
  const entered = Object.fromEntries(Object.entries(credentials).filter(([, value]) => value !== ''));
  const usable: Credentials = { ...(signedIn !== undefined && token !== null && { [signedIn]: token }), ...entered };
  return (
    <div className="docs">
      <Contents document={document} groups={groups} current={current} />
      <main>
        <h1>
          {document.info.title} API <span className="dim">{document.info.version}</span>
        </h1>
        <Markdown text={partsOf(description).introduction} />
        {chapters.map(({ title, text }) => (
          <section key={title} id={slugOf(title)} className="chapter" aria-label={title}>
            <h2>{title}</h2>
            <Markdown text={text(window.location.origin, description)} />
            {title === 'Credentials' && (
              <Keys document={document} credentials={credentials} signedIn={signedIn} onChange={setCredentials} />
            )}
          </section>
        ))}
        {groups.map(({ name, description, operations }) => (
          <section key={name} id={slugOf(name)} aria-label={name}>
            <h2>{name}</h2>
            <Markdown text={description} />
            {operations.map((operation) => (
              <OperationBlock
                key={operation.id}
                document={document}
                operation={operation}
                language={language}
                onLanguage={setLanguage}
                secret={usable[operation.credential ?? ''] ?? ''}
              />
            ))}
          </section>
        ))}
      </main>
    </div>
  );
}
