import { isLocalName, isPublicAddress, literalAddress } from '../../../lambdas/runtime/webhooks/public-address';
import { PRIVATE_HOSTS, PUBLIC_HOSTS } from '../../support/ssrf';

/** The form of a host after the URL parser has normalized it. */
const hostOf = (host: string): string => new URL(`https://${host}/`).hostname;
const mayBeReached = (host: string): boolean => {
  const address = literalAddress(host);
  return address === undefined ? !isLocalName(host) : isPublicAddress(address);
};

describe('a webhook cannot be pointed into the network that the service runs in', () => {
  test.each(PRIVATE_HOSTS)('%s (%s) is not public', (host) => expect(mayBeReached(hostOf(host))).toBe(false));
});

describe('a product whose backend is on the internet gets its events', () => {
  test.each(PUBLIC_HOSTS)('%s is public', (host) => expect(mayBeReached(hostOf(host))).toBe(true));
});

test.each(['', 'nonsense', '1.2.3.4.5', '::1%lo', 'fe80::1%eth0', '127.0.0.1%00', ' 8.8.8.8', '::ffff:10.0.0.1', '64:ff9b::808:808'])(
  'an invalid address from a resolver is not connected to: "%s"',
  (address) => expect(isPublicAddress(address)).toBe(false),
);
