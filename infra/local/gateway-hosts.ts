import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Says whether a request's `Host` header names this machine. */
export type Hosts = (host: string | undefined) => boolean;

/**
 * A web page whose name was pointed at this machine (DNS rebinding) may read what its own origin serves, and so
 * everything here; but its requests carry its own name. Addresses, names without a dot, which nobody can own in
 * the public name system, and this machine's own names pass.
 *
 * @param bound the name or address that the gateway listens on
 * @param others names under which it is reached besides; `*` stands for every name
 */
export function allowedHosts(bound: string, others: readonly string[]): Hosts {
  const names = new Set([bound, hostname(), ...others].map((name) => name.toLowerCase()));
  return (host) => {
    // HTTP/1.0 knows no Host; no browser speaks it.
    if (host === undefined || names.has('*')) return true;
    const name = host
      .toLowerCase()
      .replace(/:\d*$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '');
    return isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost') || names.has(name);
  };
}
