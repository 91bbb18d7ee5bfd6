import ipaddr from 'ipaddr.js';

/**
 * Networks that are no part of the public internet although a registry lists them as ordinary: IPv6 that
 * carries IPv4 or reaches local networks, and addresses set aside for protocols.
 */
const NOT_PUBLIC = ['64:ff9b::/96', '64:ff9b:1::/48', '2001::/23', '2002::/16', '::/96', '3fff::/20', '5f00::/16', '192.88.99.0/24'].map((cidr) =>
  ipaddr.parseCIDR(cidr),
);

/**
 * True for an address that a webhook may reach: public unicast, and nothing that maps, embeds or tunnels to
 * another network (IPv4-mapped IPv6 is judged by the address within).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return !NOT_PUBLIC.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** The literal address in a URL's host, without the brackets of IPv6; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Names that mean this machine whatever a resolver says (RFC 6761). */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.+$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '';
}
