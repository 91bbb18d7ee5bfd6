import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Endpoint } from '../../contract/endpoint';
import { fail } from '../../contract/errors';
import { log } from '../observability/log';
import { count } from '../observability/metrics';
import { failureResponse } from './response';

type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;

/**
 * Any fault becomes a response in the service's shape: 503 if it is temporary, else 500. Its cause is in the log only.
 *
 * @param isRetryable which faults are temporary
 */
export const errorHandler = (row: Endpoint, isRetryable: (error: unknown) => boolean = () => false): Middleware => ({
  onError: ({ error, event }) => {
    const busy = isRetryable(error);
    // Of the path only a number: a product's or a license's, by the operation.
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
