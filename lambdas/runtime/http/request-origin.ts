import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { RequestOrigin } from '../../domain/audit';
import { header } from './request';
import { isThroughDistribution } from './response';

/**
 * The address of who makes a request. Behind the distribution the API sees the distribution's own; the address that
 * the distribution saw is the last but one in the list that each hop adds its caller to.
 */
function sourceAddress(event: APIGatewayProxyEvent): string | null {
  const viewer = isThroughDistribution(event) ? header(event, 'x-forwarded-for')?.split(',').at(-2)?.trim() : undefined;
  return viewer ?? event.requestContext.identity?.sourceIp ?? null;
}

/** Where a request came from, as the audit log and the log of refused credentials keep it. */
export const originOf = (event: APIGatewayProxyEvent): RequestOrigin => ({
  request_id: event.requestContext.requestId,
  source_ip: sourceAddress(event),
  user_agent: header(event, 'user-agent') ?? null,
});
