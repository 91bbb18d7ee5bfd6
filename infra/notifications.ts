import { errors } from '../lambdas/contract/errors';
import { CONNECTION_TOKEN, receivePayment } from '../lambdas/contract/payments';

/**
 * The addresses to which payment processors send notifications, as what stands in front of the API recognizes them.
 * API Gateway counts every request to their route, and refuses those beyond its limit, before a function runs. An
 * address that no connection can have is therefore refused earlier.
 */

const [before = receivePayment.path] = receivePayment.path.split('{');

/** The distribution's pattern for all of them. Other routes have the same beginning. */
export const NOTIFICATION_PATTERN = `${before}*`;

/** Regular expressions for the end of a path: any address that takes notifications, and one that a connection can have. */
export const ANY_ADDRESS = `${before}[^/]*/?$`;
export const POSSIBLE_ADDRESS = `${before}${CONNECTION_TOKEN.source.slice(1, -1)}/?$`;

const { status, code, detail } = errors.unauthorized;

/** A function of CloudFront that refuses in the service's words. */
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
