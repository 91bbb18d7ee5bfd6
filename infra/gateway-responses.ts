import { errors, type ErrorName } from '../lambdas/contract/errors';

/**
 * How the gateway's own refusals look: the same `{detail}` and headers as the functions' errors.
 *
 * It gives one response to all routes. What a client app in a browser has to distinguish from a broken network
 * (throttling, faults, a request that is too large) any origin may therefore read on admin routes as well: it
 * says nothing about them. What only ever means "no such route" nobody else needs to read.
 */
const responses: ReadonlyArray<readonly [string, ErrorName, 'any origin' | 'own origin']> = [
  ['DEFAULT_4XX', 'invalid_request', 'any origin'],
  ['DEFAULT_5XX', 'internal', 'any origin'],
  ['MISSING_AUTHENTICATION_TOKEN', 'not_found', 'own origin'],
  // No method is signed: an Authorization header is looked at on unknown routes only.
  ['INVALID_SIGNATURE', 'not_found', 'own origin'],
  ['EXPIRED_TOKEN', 'not_found', 'own origin'],
  ['RESOURCE_NOT_FOUND', 'not_found', 'own origin'],
  // An API that is closed to all but CloudFront is not there for anyone else.
  ['ACCESS_DENIED', 'not_found', 'own origin'],
  ['BAD_REQUEST_PARAMETERS', 'invalid_request', 'any origin'],
  ['BAD_REQUEST_BODY', 'invalid_request', 'any origin'],
  ['REQUEST_TOO_LARGE', 'invalid_request', 'any origin'],
  ['UNSUPPORTED_MEDIA_TYPE', 'invalid_request', 'any origin'],
  ['THROTTLED', 'rate_limited', 'any origin'],
  ['QUOTA_EXCEEDED', 'rate_limited', 'any origin'],
  ['INTEGRATION_TIMEOUT', 'timeout', 'any origin'],
  ['INTEGRATION_FAILURE', 'internal', 'any origin'],
];

/** The gateway's own responses by their type, as its OpenAPI extension describes them. */
export const gatewayResponses: Readonly<Record<string, object>> = Object.fromEntries(
  responses.map(([type, name, readers]) => {
    const { status, code, detail } = errors[name];
    const headers = {
      'X-Svc-Error-Code': `'${code}'`,
      'X-Request-Id': 'context.requestId',
      'Cache-Control': "'no-store'",
      ...(readers === 'any origin' && {
        'Access-Control-Allow-Origin': "'*'",
        'Access-Control-Expose-Headers': "'X-Request-Id,X-Svc-Error-Code'",
      }),
    };
    return [
      type,
      {
        // The two defaults keep the status that the gateway chose.
        ...(!type.startsWith('DEFAULT') && { statusCode: status }),
        responseParameters: Object.fromEntries(
          Object.entries(headers).map(([header, value]) => [`gatewayresponse.header.${header}`, value]),
        ),
        responseTemplates: { 'application/json': JSON.stringify({ detail }) },
      },
    ];
  }),
);
