import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Endpoint } from '../../contract/endpoint';
import { errorHandler } from './error-handler';
import { response } from './response';

/** An endpoint without credentials that uses no resource outside of its function. */
type StaticEndpoint = Endpoint & { readonly credential: 'none'; readonly store: Record<string, never> };

/**
 * Creates the handler of an endpoint that needs neither table nor secrets. The handler does not load the code for them, so a cold start
 * takes much less time.
 */
export function serveStatic<const Row extends StaticEndpoint>(
  row: Row,
  bodyOf: (event: APIGatewayProxyEvent) => z.input<Row['response']>,
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  const run = (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => Promise.resolve(response(row, event, bodyOf(event)));
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>().use(errorHandler(row)).handler(run) as unknown as typeof run;
}
