/**
 * The header by which the distribution says that its viewers see no stage in their paths. Anyone may send it to the
 * API's own address: it changes the links in the response to that request, and nothing else.
 */
export const VIEWER_BASE_PATH_HEADER = 'x-svc-base-path';
/** Its one value. */
export const NO_BASE_PATH = '/';

/**
 * Carries the origin secret, by which a request shows that it came through the distribution: the distribution sets it
 * on every request, whatever its caller sent. It is `Referer` because that is the one header with a secret's worth of
 * room that the resource policy of a REST API can look at.
 */
export const ORIGIN_SECRET_HEADER = 'Referer';

/** Carries the signed refusal of a license (docs/spec/activation.md, Signed refusals). */
export const VERDICT_HEADER = 'X-Svc-Verdict';

/** How many rows of a list could not be read, and are left out of it. */
export const UNREADABLE_HEADER = 'X-Svc-Unreadable';
