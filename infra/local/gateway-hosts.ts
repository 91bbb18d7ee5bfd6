import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Decides whether a request's `Host` header names this computer. */
export type Hosts = (host: string | undefined) => boolean;

/**
 * Protects against DNS rebinding. A web page can have a host name that resolves to this computer. The browser would then consider the
 * gateway a part of the page's own origin, and the page could read all responses. The requests of such a page contain the page's host name
 * in `Host`, so the gateway refuses unknown host names. The gateway accepts IP addresses, names without a dot (which nobody can own in
 * public DNS) and this computer's own names.
 *
 * @param bound the name or address that the gateway listens on
 * @param others additional accepted names; `*` accepts every name
 */
export function allowedHosts(bound: string, others: readonly string[]): Hosts {
  const names = new Set([bound, hostname(), ...others].map((name) => name.toLowerCase()));
  return (host) => {
    // A request without a Host header is accepted: it uses HTTP/1.0, which browsers don't use.
    if (host === undefined || names.has('*')) return true;
    const name = host
      .toLowerCase()
      .replace(/:\d*$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '');
    return isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost') || names.has(name);
  };
}
