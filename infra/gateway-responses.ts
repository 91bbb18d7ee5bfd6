import { errors, type ErrorName } from '../lambdas/contract/errors';

/**
 * The gateway's own refusals: the same `{detail}` and headers as the functions' errors.
 *
 * Each type has one response for all routes. Client apps in a browser must distinguish throttling, faults and too large requests from a
 * broken network, so any origin may read these, on admin routes too; they reveal nothing about those routes. Only the API's own origin
 * needs to read responses that always mean "no such route".
 */
const responses: ReadonlyArray<readonly [string, ErrorName, 'any origin' | 'own origin']> = [
  ['DEFAULT_4XX', 'invalid_request', 'any origin'],
  ['DEFAULT_5XX', 'internal', 'any origin'],
  ['MISSING_AUTHENTICATION_TOKEN', 'not_found', 'own origin'],
  // No method requires a signature, so the gateway checks an Authorization header on unknown routes only.
  ['INVALID_SIGNATURE', 'not_found', 'own origin'],
  ['EXPIRED_TOKEN', 'not_found', 'own origin'],
  ['RESOURCE_NOT_FOUND', 'not_found', 'own origin'],
  // If only CloudFront may call the API, other callers are told that it does not exist.
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
        // The two defaults keep the gateway's status.
        ...(!type.startsWith('DEFAULT') && { statusCode: status }),
        responseParameters: Object.fromEntries(
          Object.entries(headers).map(([header, value]) => [`gatewayresponse.header.${header}`, value]),
        ),
        responseTemplates: { 'application/json': JSON.stringify({ detail }) },
      },
    ];
  }),
);
