import ipaddr from 'ipaddr.js';

/**
 * The range of all IPv6 addresses that are assigned to the public internet. Some addresses in this range contain an address of another
 * network, or tunnel to another network. For such addresses, the library does not report `unicast`.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * The address of Azure's metadata service, which can return credentials. The host of a virtual machine responds at this address, although
 * the address is in a public range.
 */
const HOST_AGENT = '168.63.129.16';

/**
 * Whether webhooks may use an IP address. The address must be a public unicast address. It must not contain an address of another network,
 * or tunnel to another network. An exception is an IPv4-mapped IPv6 address: its IPv4 address is checked.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address.range() === 'unicast' && address.toString() !== HOST_AGENT && (address.kind() === 'ipv4' || address.match(GLOBAL_IPV6));
}

/** The IP address in a URL's host, without the brackets of IPv6; undefined if the host is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Whether a host name always means the local host, for every resolver (RFC 6761). */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/(?<!\.)\.+$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '';
}

/** Whether a URL's host is the local host. */
export function isLoopback(hostname: string): boolean {
  const address = literalAddress(hostname);
  return address === undefined ? isLocalName(hostname) && hostname !== '' : ipaddr.process(address).range() === 'loopback';
}

/** Whether a URL's host is a literal address that is not public, or a name of the local host. For all other names the result is false. */
export function isPrivateHost(hostname: string): boolean {
  const address = literalAddress(hostname);
  return address === undefined ? isLocalName(hostname) : !isPublicAddress(address);
}
