import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Decides whether a request's `Host` header names this computer. */
export type Hosts = (host: string | undefined) => boolean;

/**
 * Protects against DNS rebinding. Without this check, a web page whose host name resolves to this computer could read all responses,
 * because the browser would consider the gateway a part of the page's own origin. Such a page's requests contain its host name in `Host`.
 * The gateway accepts IP addresses, names without a dot (which nobody can own in public DNS) and this computer's own names.
 *
 * @param bound the name or address that the gateway listens on
 * @param others additional accepted names; `*` accepts every name
 */
export function allowedHosts(bound: string, others: readonly string[]): Hosts {
  const names = new Set([bound, hostname(), ...others].map((name) => name.toLowerCase()));
  return (host) => {
    // Only HTTP/1.0 requests have no Host header, and browsers don't use HTTP/1.0.
    if (host === undefined || names.has('*')) return true;
    const name = host
      .toLowerCase()
      .replace(/:\d*$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '');
    return isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost') || names.has(name);
  };
}
