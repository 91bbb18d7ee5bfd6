import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '../../contract/endpoint';
import { faultResponse } from './fault-response';
import { rawResponse } from './response';

/**
 * Creates the handler of an endpoint without credential that uses no resource outside of its function. The handler loads neither the code
 * for tables and secrets nor zod, so a cold start takes much less time.
 *
 * @param bodyOf returns the JSON text of the response
 */
export const serveStatic =
  (route: Route, bodyOf: (event: APIGatewayProxyEvent) => string) =>
  async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    try {
      return rawResponse(route, event, bodyOf(event));
    } catch (error) {
      return faultResponse(route, event, error, false);
    }
  };
