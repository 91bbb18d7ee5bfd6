import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ORIGIN_SECRET_HEADER } from '../../contract/edge';
import type { RequestOrigin } from '../../domain/audit';
import type { App } from '../app';
import { log } from '../observability/log';
import { header } from './request';

/** Length of the longest possible IP address, which is IPv6 with an embedded IPv4 address. */
const MAX_ADDRESS = 45;

/** Whether a request came through the distribution. The proof is a secret header that only the distribution sends. */
async function isProven({ secrets }: App, event: APIGatewayProxyEvent): Promise<boolean> {
  const presented = header(event, ORIGIN_SECRET_HEADER.toLowerCase());
  if (presented === undefined) return false;
  try {
    return await secrets.isOriginSecret(presented);
  } catch (error) {
    // The request's origin is only logged, so a request must not fail if its origin cannot be determined.
    log.warn('ORIGIN_NOT_PROVEN', { request_id: event.requestContext.requestId }, error);
    return false;
  }
}

/**
 * The IP address of a request's caller. Behind the distribution, the API only sees the distribution's IP address. Each hop appends the
 * address of its own caller to `X-Forwarded-For`, so the original caller's address is the second to last in this header. Anybody who calls
 * the API directly can send this header with any content. Therefore the header is used only if the request also contains the distribution's
 * secret.
 */
async function sourceAddress(app: App, event: APIGatewayProxyEvent): Promise<string | null> {
  const viewer = header(event, 'x-forwarded-for')?.split(',').at(-2)?.trim();
  const address = viewer !== undefined && (await isProven(app, event)) ? viewer : event.requestContext.identity?.sourceIp;
  return address?.slice(0, MAX_ADDRESS) ?? null;
}

/** The header in which CloudFront names the country of a request's caller. */
const COUNTRY_HEADER = 'cloudfront-viewer-country';

/**
 * The country of a request's caller as ISO 3166-1 alpha-2; null if the distribution does not tell it. Other callers could send any header.
 */
export async function countryOf(app: App, event: APIGatewayProxyEvent): Promise<string | null> {
  const country = header(event, COUNTRY_HEADER);
  return country !== undefined && /^[A-Z]{2}$/.test(country) && (await isProven(app, event)) ? country : null;
}

/** The origin of a request, for the audit log and the log of refused credentials. */
export const originOf = async (app: App, event: APIGatewayProxyEvent): Promise<RequestOrigin> => ({
  request_id: event.requestContext.requestId,
  source_ip: await sourceAddress(app, event),
  user_agent: header(event, 'user-agent') ?? null,
});
