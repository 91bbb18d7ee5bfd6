/**
 * With this header the CloudFront distribution tells the API that the paths of public URLs do not begin with the name of the API Gateway
 * stage. It does no harm if a caller of the API's own URL sends the header: the header changes only the links in the response to this
 * caller.
 */
export const VIEWER_BASE_PATH_HEADER = 'x-svc-base-path';
/** The only value of the header {@link VIEWER_BASE_PATH_HEADER}. */
export const NO_BASE_PATH = '/';

/**
 * The header with the origin secret, which proves that a request came through the CloudFront distribution. The distribution sets the header
 * on every request and replaces any value that the caller sent. The header is `Referer`, because the resource policy of a REST API can
 * check no other header that is long enough for the secret.
 */
export const ORIGIN_SECRET_HEADER = 'Referer';

/** The header with the signed refusal of a license (docs/spec/activation.md, Signed refusals). */
export const VERDICT_HEADER = 'X-Svc-Verdict';

/** The header of an app's request that contains its device's offline token (docs/spec/activation.md, Signed refusals). */
export const DEVICE_TOKEN_HEADER = 'X-Svc-Token';

/**
 * The header of an admin request whose events are not posted to the webhook (docs/spec/events.md, Changes without webhook requests). Its only
 * value is {@link SKIP_WEBHOOK}.
 */
export const WEBHOOK_HEADER = 'X-Svc-Webhook';
export const SKIP_WEBHOOK = 'skip';

/** The header of a response to a repeated request: the request was carried out before, and this is the first response. */
export const REPLAYED_HEADER = 'Idempotent-Replayed';

/** The response headers that web pages of other origins may read. */
export const EXPOSED_HEADERS = `X-Request-Id,X-Svc-Error-Code,${VERDICT_HEADER},${REPLAYED_HEADER},Retry-After`;

/** The header with the number of rows that are missing from a list because they could not be read. */
export const UNREADABLE_HEADER = 'X-Svc-Unreadable';

/** The header `Cache-Control` of a file that never changes, because another content has another name. */
export const KEPT_FOR_EVER = 'public, max-age=31536000, immutable';
