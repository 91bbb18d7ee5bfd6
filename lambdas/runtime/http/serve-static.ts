import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '../../contract/endpoint';
import { errorHandler } from './error-handler';
import { rawResponse } from './response';

/**
 * Creates the handler of an endpoint without credential that uses no resource outside of its function. The handler loads neither the code
 * for tables and secrets nor zod, so a cold start takes much less time.
 *
 * @param bodyOf returns the JSON text of the response
 */
export function serveStatic(
  route: Route,
  bodyOf: (event: APIGatewayProxyEvent) => string,
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  const run = (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => Promise.resolve(rawResponse(route, event, bodyOf(event)));
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>().use(errorHandler(route)).handler(run) as unknown as typeof run;
}
