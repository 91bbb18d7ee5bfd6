import { useSyncExternalStore, type AnchorHTMLAttributes } from 'react';

/**
 * Routes live behind `#`, so that a deep link needs nothing from whoever serves the files:
 * `/admin#/products/1/licenses?status=active`.
 */
export interface Location {
  /** The parts between the slashes, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parse(hash: string): Location {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?');
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
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

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

export const useLocation = (): Location => useSyncExternalStore(subscribe, current);

/** An address within the page; undefined values of the query are left out. */
export function href(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  return given.length > 0 ? `#${path}?${new URLSearchParams(given).toString()}` : `#${path}`;
}

export function go(address: string): void {
  window.location.hash = address;
}

/** Changes the address without a new step in the browser's history. */
export function replace(address: string): void {
  window.history.replaceState(null, '', address);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

export function Link({ to, ...rest }: { to: string } & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'>) {
  return <a {...rest} href={to} />;
}
