import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '../../contract/endpoint';
import { fail } from '../../contract/errors';
import { log } from '../observability/log';
import { count } from '../observability/metrics';
import { failureResponse } from './response';

/** The response to a request that failed because of a fault. The cause is logged, but never part of the response. */
export function faultResponse(route: Route, event: APIGatewayProxyEvent, error: unknown, isTemporary: boolean): APIGatewayProxyResult {
  // The id in the path, such as the id of a product or a license, is logged only if it is a number. No other text of the path is logged.
  const [id] = /^\d{1,16}$/.exec(event.pathParameters?.['id'] ?? '') ?? [];
  log.error(
    isTemporary ? 'STORE_UNAVAILABLE' : 'UNEXPECTED_ERROR',
    { operation: route.name, id, request_id: event.requestContext.requestId },
    error,
  );
  count(isTemporary ? 'request.unavailable' : 'request.fault');
  return failureResponse(route, event, fail(isTemporary ? 'unavailable' : 'internal'));
}
