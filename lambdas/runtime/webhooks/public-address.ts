import ipaddr from 'ipaddr.js';

/** All IPv6 addresses that are assigned to the public internet. Those among them that embed or lead to other networks are not `unicast`. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** In a public range, but served by the host of a virtual machine: metadata and credentials of Azure. */
const HOST_AGENT = '168.63.129.16';

/**
 * Whether a webhook may use the address: public unicast, and nothing that maps, embeds or tunnels to another network
 * (of an IPv4-mapped IPv6 address, the IPv4 address is checked).
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

/** Whether it is a name for the local host, for every resolver (RFC 6761). */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/(?<!\.)\.+$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '';
}

/** Whether a URL's host is the local host. */
export function isLoopback(hostname: string): boolean {
  const address = literalAddress(hostname);
  return address === undefined ? isLocalName(hostname) && hostname !== '' : ipaddr.process(address).range() === 'loopback';
}

/**
 * Whether a URL's host is a literal address that is not public, or a name of the local host or its network. For other
 * names it is false.
 */
export function isPrivateHost(hostname: string): boolean {
  const address = literalAddress(hostname);
  return address === undefined ? isLocalName(hostname) : !isPublicAddress(address);
}
