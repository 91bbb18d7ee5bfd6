import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '../../contract/endpoint';
import { fail } from '../../contract/errors';
import { log } from '../observability/log';
import { count } from '../observability/metrics';
import { failureResponse } from './response';

type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;

/**
 * Turns any fault into a response in the service's format: 503 if the fault is temporary, otherwise 500. The cause is logged, but never
 * part of the response.
 *
 * @param isRetryable whether a fault is temporary
 */
export const errorHandler = (row: Route, isRetryable: (error: unknown) => boolean = () => false): Middleware => ({
  onError: ({ error, event }) => {
    const busy = isRetryable(error);
    // The id in the path, such as the id of a product or a license, is logged only if it is a number. No other text of the path is logged.
    const [id] = /^\d{1,16}$/.exec(event.pathParameters?.['id'] ?? '') ?? [];
    log.error(
      busy ? 'STORE_UNAVAILABLE' : 'UNEXPECTED_ERROR',
      { operation: row.name, id, request_id: event.requestContext.requestId },
      error,
    );
    count(busy ? 'request.unavailable' : 'request.fault');
    return failureResponse(row, event, fail(busy ? 'unavailable' : 'internal'));
  },
});
