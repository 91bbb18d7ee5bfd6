import { errors } from '../lambdas/contract/errors';
import { CONNECTION_TOKEN, receivePayment } from '../lambdas/contract/payments';

/**
 * Patterns by which CloudFront and AWS WAF recognize the addresses for payment notifications. API Gateway counts every request to their
 * route towards its limit, before a function runs. Therefore addresses that no connection can have are refused in front of it.
 */

const [before = receivePayment.path] = receivePayment.path.split('{');

/** The distribution's path pattern for all of them. It also matches other routes. */
export const NOTIFICATION_PATTERN = `${before}*`;

/** Regular expressions for the end of a path: any notification address, and an address that a connection can have. */
export const ANY_ADDRESS = `${before}[^/]*/?$`;
export const POSSIBLE_ADDRESS = `${before}${CONNECTION_TOKEN.source.slice(1, -1)}/?$`;

const { status, code, detail } = errors.unauthorized;

/** A CloudFront function that refuses with the service's own error. */
export const refuseImpossibleAddress = `function handler(event) {
  var request = event.request;
  var isNotification = request.method === ${JSON.stringify(receivePayment.method)} && new RegExp(${JSON.stringify(`^${ANY_ADDRESS}`)}).test(request.uri);
  if (!isNotification || new RegExp(${JSON.stringify(`^${POSSIBLE_ADDRESS}`)}).test(request.uri)) return request;
  return {
    statusCode: ${status},
    statusDescription: 'Unauthorized',
    headers: {
      'content-type': { value: 'application/json' },
      'cache-control': { value: 'no-store' },
      'x-content-type-options': { value: 'nosniff' },
      'x-request-id': { value: event.context.requestId },
      'x-svc-error-code': { value: ${JSON.stringify(code)} },
    },
    body: ${JSON.stringify(JSON.stringify({ detail }))},
  };
}
`;
