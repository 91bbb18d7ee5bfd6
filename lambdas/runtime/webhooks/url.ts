import { lookup } from 'node:dns/promises';
import { fail, type Failure } from '../../contract/errors';
import { isPlainUrl } from '../../contract/url';
import { isPrivateHost, isPublicAddress, literalAddress } from './public-address';

/** The rules for a webhook URL (docs/spec/events.md, URL rules). The sender checks every connection as well. */

// oxlint-disable-next-line no-control-regex -- control characters are refused on purpose
const NOT_URL_TEXT = /[\u0000-\u0020\u007f-\u00a0\p{Surrogate}]/u;

/** Matches any user info. The URL parser drops an empty one. */
const USER_INFO = /^[^/]*\/\/[^/?#\\]*@/;

const refuse = (rule: string): Failure => fail('invalid_request', `url must ${rule}`);

/** Checks only the text of a URL. Returns a failure if the text is not allowed, and otherwise undefined. */
export function webhookUrlProblem(text: string, allowPrivate: boolean): Failure | undefined {
  // The URL parser silently drops tabs and line breaks and replaces invalid characters, so the text is checked before it is parsed.
  const url = NOT_URL_TEXT.test(text) ? null : parse(text);
  if (!url) return refuse('be an absolute URL');
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    return refuse(allowPrivate ? 'be an https: or http: URL' : 'be an https: URL');
  }
  if (USER_INFO.test(text)) return refuse('not contain user info');
  if (!isPlainUrl(text, url.protocol)) return refuse('be an absolute URL without backslashes, and without braces in its host');
  if (allowPrivate) return undefined;
  return isPrivateHost(url.hostname) ? refuse('not name a private or local address') : undefined;
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * Returns the refusal of a URL whose name currently resolves to an address that is not public. A name that does not resolve (yet) is
 * accepted, because the sender checks the name again before every connection.
 */
export async function webhookHostProblem(text: string, allowPrivate: boolean): Promise<Failure | undefined> {
  const { hostname } = new URL(text);
  if (allowPrivate || literalAddress(hostname) !== undefined) return undefined;
  const addresses = await Promise.race([
    lookup(hostname, { all: true }).catch(() => []),
    new Promise<never[]>((resolve) => setTimeout(() => resolve([]), 2000).unref()),
  ]);
  return addresses.some(({ address }) => !isPublicAddress(address)) ? refuse('not name a private or local address') : undefined;
}
