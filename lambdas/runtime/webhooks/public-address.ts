import ipaddr from 'ipaddr.js';

/** All of IPv6 that is assigned to the public internet. What in it carries or reaches other networks is no `unicast`. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public by its range, but served by the host of a virtual machine: metadata and credentials of Azure. */
const HOST_AGENT = '168.63.129.16';

/**
 * True for an address that a webhook may reach: public unicast, and nothing that maps, embeds or tunnels to
 * another network (IPv4-mapped IPv6 is judged by the address within).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address.range() === 'unicast' && address.toString() !== HOST_AGENT && (address.kind() === 'ipv4' || address.match(GLOBAL_IPV6));
}

/** The literal address in a URL's host, without the brackets of IPv6; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Names that mean this machine whatever a resolver says (RFC 6761). */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/(?<!\.)\.+$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '';
}

/** True for a URL's host that is this machine itself. */
export function isLoopback(hostname: string): boolean {
  const address = literalAddress(hostname);
  return address === undefined ? isLocalName(hostname) && hostname !== '' : ipaddr.process(address).range() === 'loopback';
}

/**
 * True for a URL's host that is a literal address which is not public, or a name of this machine or its network; other names say nothing.
 */
export function isPrivateHost(hostname: string): boolean {
  const address = literalAddress(hostname);
  return address === undefined ? isLocalName(hostname) : !isPublicAddress(address);
}
