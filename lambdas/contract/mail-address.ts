import { domainToASCII } from 'node:url';
import { toUnicode } from 'punycode.js';

/**
 * The two spellings of an e-mail address with an internationalized domain (RFC 5890): `info@müller.example` is stored and shown, and
 * `info@xn--mller-kva.example` is sent to mail servers. Every address in a request is converted to the first spelling.
 */

/** Compiling the pattern takes milliseconds, so the pattern is compiled only when it is first needed. */
const isAddress = (value: string): boolean =>
  /^(?=.{1,64}@)[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+\p{L}[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u.test(
    value,
  );

/** Splits a text after its last `@`. The domain is empty if the text has no `@`. */
function parts(text: string): readonly [local: string, domain: string] {
  const at = text.lastIndexOf('@') + 1;
  return at === 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

/** Whether a text has only characters of domains. The platform's functions would read `example.com/x` like the host of a URL. */
const isDomain = (text: string): boolean => /^[\p{L}\p{M}\p{N}.-]+$/u.test(text);

/** The domain with its encoded parts decoded (RFC 3492); undefined if one can't be decoded. */
function decoded(ascii: string): string | undefined {
  try {
    return toUnicode(ascii);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The domain in ASCII; undefined if it is not valid. A domain of ASCII characters without an encoded part has only one spelling, and is
 * returned unchanged. Node 24 doesn't check encoded parts (Node 20 does), so they are decoded and encoded again.
 */
function asciiDomain(domain: string): string | undefined {
  if (!/[^\0-\x7f]|xn--/i.test(domain)) return domain;
  if (!isDomain(domain)) return undefined;
  const ascii = domainToASCII(domain);
  const readable = decoded(ascii);
  return ascii !== '' && readable !== undefined && domainToASCII(readable) === ascii ? ascii : undefined;
}

/** The address as mail servers expect it, with its domain in ASCII. A text that is not an address is returned unchanged. */
export function asciiAddress(text: string): string {
  const [local, domain] = parts(text);
  return `${local}${asciiDomain(domain) ?? domain}`;
}

/**
 * The address, or the beginning of an address, as it is stored and shown. A text that is not an address is returned unchanged. A domain
 * stays in ASCII if it contains characters that an address must not have, such as emoji.
 */
export function readableAddress(text: string): string {
  const [local, domain] = parts(text);
  const ascii = asciiDomain(domain);
  if (ascii === undefined || !/xn--/.test(ascii)) return `${local}${ascii ?? domain}`;
  const readable = decoded(ascii);
  return `${local}${readable !== undefined && isDomain(readable) ? readable : ascii}`;
}

/**
 * Checks an e-mail address, and converts it to the spelling in which it is stored. The local part may contain letters of any script (RFC
 * 5321, 6531), but no quotes. The domain must have at least two parts.
 *
 * @returns undefined if mail cannot be sent to the address
 */
export function parseAddress(text: string): string | undefined {
  const [local, domain] = parts(text);
  const ascii = asciiDomain(domain);
  return isAddress(text) && ascii !== undefined && isAddress(`${local}${ascii}`) ? readableAddress(text) : undefined;
}
