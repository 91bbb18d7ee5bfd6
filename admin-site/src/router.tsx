import { useSyncExternalStore, type AnchorHTMLAttributes } from 'react';

/**
 * Routes are in the fragment of the URL, so that deep links need no support from the file server:
 * `/admin#/products/1/licenses?status=active`.
 */
export interface Location {
  /** The decoded parts of the path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** Cursors of a list's previous pages. They are stored in the browser's history, not in the URL. */
  readonly trail: readonly string[];
}

/** The state of an entry in the browser's history. */
interface Entry {
  readonly trail?: readonly string[];
  /** The scroll position in CSS pixels. */
  readonly scroll?: number;
}

const entry = (): Entry => (window.history.state ?? {}) as Entry;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parse(hash: string): Location {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?');
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query), trail: entry().trail ?? [] };
}

let hash = window.location.hash;
let location = parse(hash);

function current(): Location {
  if (window.location.hash !== hash) {
    hash = window.location.hash;
    location = parse(hash);
  }
  return location;
}

const listeners = new Set<() => void>();
const notify = (): void => {
  for (const listener of listeners) listener();
};
window.addEventListener('hashchange', notify);
window.addEventListener('popstate', notify);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useLocation = (): Location => useSyncExternalStore(subscribe, current);

/** The URL of a page of the site; undefined values of the query are left out. */
export function href(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '');
  return given.length > 0 ? `#${path}?${new URLSearchParams(given).toString()}` : `#${path}`;
}

/** Opens a page of the site as a new entry in the browser's history. */
export function go(address: string, trail?: readonly string[]): void {
  if (address === window.location.hash) return;
  window.history.pushState(trail ? { trail } : null, '', address);
  notify();
}

/** Changes the URL without a new entry in the browser's history. */
export function replace(address: string): void {
  window.history.replaceState(null, '', address);
  notify();
}

export function Link({ to, ...rest }: { to: string } & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'>) {
  return <a {...rest} href={to} />;
}

/** Milliseconds without scrolling after which the position is stored. Browsers limit how often a page may change its history entry. */
const SETTLED = 150;
/** The maximum time, in ms, to wait until a loading page is tall enough for its stored position. */
const PATIENCE = 3000;

let settling: ReturnType<typeof setTimeout> | undefined;
let stopRestoring = (): void => undefined;

window.history.scrollRestoration = 'manual';
window.addEventListener('scroll', () => {
  clearTimeout(settling);
  settling = setTimeout(() => window.history.replaceState({ ...entry(), scroll: window.scrollY }, ''), SETTLED);
});

/** Restores the scroll position of this history entry; a new entry starts at the top. The page may still be loading. */
export function restoreScroll(): void {
  stopRestoring();
  clearTimeout(settling);
  const { scroll: place = 0 } = entry();
  window.scrollTo(0, place);
  if (window.scrollY >= place - 1) return;
  const observer = new ResizeObserver(() => {
    window.scrollTo(0, place);
    clearTimeout(settling);
    if (window.scrollY >= place - 1) stopRestoring();
  });
  const timer = setTimeout(() => stopRestoring(), PATIENCE);
  const signs = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;
  stopRestoring = () => {
    observer.disconnect();
    clearTimeout(timer);
    for (const sign of signs) window.removeEventListener(sign, stopRestoring);
    stopRestoring = () => undefined;
  };
  for (const sign of signs) window.addEventListener(sign, stopRestoring, { once: true });
  observer.observe(document.body);
}
