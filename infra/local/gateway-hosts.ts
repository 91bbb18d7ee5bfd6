import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** True if a request's `Host` header names this computer. */
export type Hosts = (host: string | undefined) => boolean;

/**
 * Protects against DNS rebinding: a web page whose name resolves to this computer could read everything here as its own origin, but its
 * requests carry its name in `Host`. Accepted are IP addresses, names without a dot (which nobody can own in public DNS) and this
 * computer's own names.
 *
 * @param bound the name or address that the gateway listens on
 * @param others further accepted names; `*` accepts every name
 */
export function allowedHosts(bound: string, others: readonly string[]): Hosts {
  const names = new Set([bound, hostname(), ...others].map((name) => name.toLowerCase()));
  return (host) => {
    // HTTP/1.0 has no Host header, and no browser uses it.
    if (host === undefined || names.has('*')) return true;
    const name = host
      .toLowerCase()
      .replace(/:\d*$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '');
    return isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost') || names.has(name);
  };
}
