import { errors } from '../lambdas/contract/errors';
import { CONNECTION_TOKEN, receivePayment } from '../lambdas/contract/payments';

/**
 * Patterns with which CloudFront and AWS WAF recognize the URLs for payment notifications. API Gateway counts every request to the
 * notification route towards the route's limit. Therefore CloudFront and AWS WAF refuse requests to URLs that no payment connection can
 * have, before API Gateway counts them.
 */

const [before = receivePayment.path] = receivePayment.path.split('{');

/** CloudFront's path pattern for the URLs of all payment notifications. The pattern also matches other routes. */
export const NOTIFICATION_PATTERN = `${before}*`;

/**
 * Regular expressions for the end of a URL's path. `ANY_ADDRESS` matches all notification URLs. `POSSIBLE_ADDRESS` matches only
 * notification URLs whose token has the format of `CONNECTION_TOKEN`. The URL of every payment connection has such a token.
 */
export const ANY_ADDRESS = `${before}[^/]*/?$`;
export const POSSIBLE_ADDRESS = `${before}${CONNECTION_TOKEN.source.slice(1, -1)}/?$`;

const { status, code, detail } = errors.unauthorized;

/**
 * The code of a CloudFront function. The function refuses requests to notification URLs that no payment connection can have, with the error
 * that the service sends for an unknown connection.
 */
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
