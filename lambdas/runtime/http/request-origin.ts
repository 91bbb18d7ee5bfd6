import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ORIGIN_SECRET_HEADER } from '../../contract/edge';
import type { RequestOrigin } from '../../domain/audit';
import type { App } from '../app';
import { log } from '../observability/log';
import { header } from './request';

/** Characters of the longest address, which is one of IPv6 with one of IPv4 in it. */
const MAX_ADDRESS = 45;

/** Whether a request came through the distribution, by the secret that only the distribution sends. */
async function isProven({ secrets }: App, event: APIGatewayProxyEvent): Promise<boolean> {
  const presented = header(event, ORIGIN_SECRET_HEADER.toLowerCase());
  if (presented === undefined) return false;
  try {
    return await secrets.isOriginSecret(presented);
  } catch (error) {
    // No request may fail because of what is only noted about it.
    log.warn('ORIGIN_NOT_PROVEN', { request_id: event.requestContext.requestId }, error);
    return false;
  }
}

/**
 * The address of who makes a request. Behind the distribution the API sees the distribution's own; the address that
 * the distribution saw is the last but one in the list that each hop adds its caller to. Whoever calls the API's own
 * address can write such a list as well, so it counts only with the distribution's secret.
 */
async function sourceAddress(app: App, event: APIGatewayProxyEvent): Promise<string | null> {
  const viewer = header(event, 'x-forwarded-for')?.split(',').at(-2)?.trim();
  const address = viewer !== undefined && (await isProven(app, event)) ? viewer : event.requestContext.identity?.sourceIp;
  return address?.slice(0, MAX_ADDRESS) ?? null;
}

/** Where a request came from, as the audit log and the log of refused credentials keep it. */
export const originOf = async (app: App, event: APIGatewayProxyEvent): Promise<RequestOrigin> => ({
  request_id: event.requestContext.requestId,
  source_ip: await sourceAddress(app, event),
  user_agent: header(event, 'user-agent') ?? null,
});
