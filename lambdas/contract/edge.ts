/**
 * The header by which the distribution says that the URLs its viewers use contain no stage. Anyone may send it to the
 * API's own address: it changes only the links in the response to that request.
 */
export const VIEWER_BASE_PATH_HEADER = 'x-svc-base-path';
/** The only value of that header. */
export const NO_BASE_PATH = '/';

/**
 * Carries the origin secret, which proves that a request came through the distribution. The distribution sets it on
 * every request and replaces any value that the caller sent. It is `Referer` because the resource policy of a REST API
 * can check no other header that is long enough for the secret.
 */
export const ORIGIN_SECRET_HEADER = 'Referer';

/** Carries the signed refusal of a license (docs/spec/activation.md, Signed refusals). */
export const VERDICT_HEADER = 'X-Svc-Verdict';

/** The number of rows of a list that could not be read and are left out. */
export const UNREADABLE_HEADER = 'X-Svc-Unreadable';
