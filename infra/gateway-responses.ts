import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { errors, type ErrorName } from '../lambdas/contract/errors';

/**
 * How the gateway's own refusals look: the same `{detail}` and headers as the functions' errors.
 *
 * It gives one response to all routes. What a client app in a browser has to distinguish from a broken network
 * (throttling, faults, a request that is too large) any origin may therefore read on admin routes as well: it
 * says nothing about them. What only ever means "no such route" nobody else needs to read.
 */
const responses: ReadonlyArray<readonly [ResponseType, ErrorName, 'any origin' | 'own origin']> = [
  [ResponseType.DEFAULT_4XX, 'invalid_request', 'any origin'],
  [ResponseType.DEFAULT_5XX, 'internal', 'any origin'],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'not_found', 'own origin'],
  // No method is signed: an Authorization header is looked at on unknown routes only.
  [ResponseType.INVALID_SIGNATURE, 'not_found', 'own origin'],
  [ResponseType.EXPIRED_TOKEN, 'not_found', 'own origin'],
  [ResponseType.RESOURCE_NOT_FOUND, 'not_found', 'own origin'],
  // An API that is closed to all but CloudFront is not there for anyone else.
  [ResponseType.ACCESS_DENIED, 'not_found', 'own origin'],
  [ResponseType.BAD_REQUEST_PARAMETERS, 'invalid_request', 'any origin'],
  [ResponseType.BAD_REQUEST_BODY, 'invalid_request', 'any origin'],
  [ResponseType.REQUEST_TOO_LARGE, 'invalid_request', 'any origin'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'invalid_request', 'any origin'],
  [ResponseType.THROTTLED, 'rate_limited', 'any origin'],
  [ResponseType.QUOTA_EXCEEDED, 'rate_limited', 'any origin'],
  [ResponseType.INTEGRATION_TIMEOUT, 'timeout', 'any origin'],
  [ResponseType.INTEGRATION_FAILURE, 'internal', 'any origin'],
];

/** Shapes the gateway's own responses. */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, name, readers] of responses) {
    const { status, code, detail } = errors[name];
    api.addGatewayResponse(type.responseType.replaceAll('_', ''), {
      type,
      // The two defaults keep the status that the gateway chose.
      ...(type.responseType.startsWith('DEFAULT') ? {} : { statusCode: String(status) }),
      responseHeaders: {
        'X-Svc-Error-Code': `'${code}'`,
        'X-Request-Id': 'context.requestId',
        'Cache-Control': "'no-store'",
        ...(readers === 'any origin' && {
          'Access-Control-Allow-Origin': "'*'",
          'Access-Control-Expose-Headers': "'X-Request-Id,X-Svc-Error-Code'",
        }),
      },
      templates: { 'application/json': JSON.stringify({ detail }) },
    });
  }
}
