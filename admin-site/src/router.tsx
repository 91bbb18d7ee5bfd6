import { useSyncExternalStore, type AnchorHTMLAttributes } from 'react';

/**
 * Routes live behind `#`, so that a deep link needs nothing from the server of the files:
 * `/admin#/products/1/licenses?status=active`.
 */
export interface Location {
  /** The parts between the slashes, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** Cursors of the pages of a list before this one, kept in the browser's history: an address alone has none. */
  readonly trail: readonly string[];
}

/** What the browser's history keeps with an address. */
interface Entry {
  readonly trail?: readonly string[];
  /** How far the page was scrolled down, in CSS pixels. */
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

/** An address within the page; undefined values of the query are left out. */
export function href(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '');
  return given.length > 0 ? `#${path}?${new URLSearchParams(given).toString()}` : `#${path}`;
}

/** Goes to an address, as a new step in the browser's history. */
export function go(address: string, trail?: readonly string[]): void {
  if (address === window.location.hash) return;
  window.history.pushState(trail ? { trail } : null, '', address);
  notify();
}

/** Changes the address without a new step in the browser's history. */
export function replace(address: string): void {
  window.history.replaceState(null, '', address);
  notify();
}

export function Link({ to, ...rest }: { to: string } & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'>) {
  return <a {...rest} href={to} />;
}

/** Milliseconds without scrolling after which the place is kept: browsers limit how often it may be. */
const SETTLED = 150;
/** Milliseconds in which a page that is loading may still become tall enough for its old place. */
const PATIENCE = 3000;

let settling: ReturnType<typeof setTimeout> | undefined;
let stopRestoring = (): void => undefined;

window.history.scrollRestoration = 'manual';
window.addEventListener('scroll', () => {
  clearTimeout(settling);
  settling = setTimeout(() => window.history.replaceState({ ...entry(), scroll: window.scrollY }, ''), SETTLED);
});

/** Scrolls to where the reader was at this step of the history: the top of a new one. The page may still be loading. */
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
