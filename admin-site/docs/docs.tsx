import { useEffect, useState } from 'react';
import { chapters, partsOf } from './chapters';
import { Markdown, slugOf } from './markdown';
import { groupsOf, type Document, type Group } from './openapi';
import { OperationBlock } from './operation';
import type { Credentials } from './samples';

/** The reference of this service's API, from its OpenAPI document: operations, responses, code to paste, and a form to try each request. */

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

/** The part of the address after `#`: the id of the chapter or operation to show. */
const target = (): string => decodeURIComponent(window.location.hash.slice(1).split('/').at(-1) ?? '');

/** Frames in which the content above the target may still change its height and move it. */
const SETTLING_FRAMES = 30;

/** Scrolls to an element and stays there while the content above it is laid out, unless the reader scrolls meanwhile. */
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

/** Scrolls to the element in the address once it exists. */
function useTarget(ready: boolean): string {
  const [current, setCurrent] = useState(target);
  useEffect(() => {
    if (!ready) return undefined;
    // The browser would restore the position from before a reload, when the page had another height.
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

function Contents({
  groups,
  current,
  filter,
  onFilter,
}: {
  groups: readonly Group[];
  current: string;
  filter: string;
  onFilter: (filter: string) => void;
}) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const shown = groups
    .map((group) => ({
      ...group,
      operations: group.operations.filter(({ summary, path, id, method }) => fits(`${method} ${path} ${summary} ${id} ${group.name}`)),
    }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <nav className="contents" aria-label="Contents">
      <input
        type="search"
        aria-label="Filter the operations"
        placeholder="Filter"
        value={filter}
        onChange={(event) => onFilter(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
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
    </nav>
  );
}

function Keys({
  document,
  credentials,
  onChange,
}: {
  document: Document;
  credentials: Credentials;
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
            onChange={(event) => onChange({ ...credentials, [scheme]: event.currentTarget.value })}
          />
          {description && <span className="dim">{description}</span>}
        </label>
      ))}
      <p className="dim">Credentials stay in this page’s memory, are sent only to this origin, and are forgotten when you leave.</p>
    </div>
  );
}

export function Docs() {
  const { document, error } = useDocument();
  const [filter, setFilter] = useState('');
  const [language, setLanguage] = useState('curl');
  const [credentials, setCredentials] = useState<Credentials>({});
  const current = useTarget(document !== undefined);
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
  const groups = groupsOf(document);
  const { description = '' } = document.info;
  return (
    <div className="docs">
      <Contents groups={groups} current={current} filter={filter} onFilter={setFilter} />
      <main>
        <h1>
          {document.info.title} API <span className="dim">{document.info.version}</span>
        </h1>
        <Markdown text={partsOf(description).introduction} />
        {chapters.map(({ title, text }) => (
          <section key={title} id={slugOf(title)} className="chapter" aria-label={title}>
            <h2>{title}</h2>
            <Markdown text={text(window.location.origin, description)} />
            {title === 'Credentials' && <Keys document={document} credentials={credentials} onChange={setCredentials} />}
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
                credentials={credentials}
              />
            ))}
          </section>
        ))}
      </main>
    </div>
  );
}
