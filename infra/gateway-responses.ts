import { EXPOSED_HEADERS } from '../lambdas/contract/edge';
import { errors, type ErrorName } from '../lambdas/contract/errors';

/**
 * The responses that the gateway itself sends when it refuses a request. They have the same `{detail}` and headers as the functions'
 * errors.
 *
 * The gateway has only one response of each type, which it uses for all routes. A client app in a browser must distinguish throttling,
 * faults and requests that are too large from a failed connection. Therefore pages of any origin may read most types of responses. This
 * applies to admin routes too, but these responses reveal nothing about admin routes. If a type always means "no such route", only pages
 * of the API's own origin may read its response.
 */
const responses: ReadonlyArray<readonly [type: string, ErrorName, readers: 'any origin' | 'own origin', detail?: string]> = [
  ['DEFAULT_4XX', 'invalid_request', 'any origin'],
  ['DEFAULT_5XX', 'internal', 'any origin'],
  ['MISSING_AUTHENTICATION_TOKEN', 'not_found', 'own origin'],
  // The gateway looks for an AWS signature only in requests to unknown routes, because no route of the API requires a signature. Therefore
  // errors about signatures mean that there is no such route.
  ['INVALID_SIGNATURE', 'not_found', 'own origin'],
  ['EXPIRED_TOKEN', 'not_found', 'own origin'],
  ['RESOURCE_NOT_FOUND', 'not_found', 'own origin'],
  // If only CloudFront may call the API, other callers get the response "not found".
  ['ACCESS_DENIED', 'not_found', 'own origin'],
  ['BAD_REQUEST_PARAMETERS', 'invalid_request', 'any origin'],
  ['BAD_REQUEST_BODY', 'invalid_request', 'any origin'],
  ['REQUEST_TOO_LARGE', 'invalid_request', 'any origin', 'body is too large'],
  ['UNSUPPORTED_MEDIA_TYPE', 'invalid_request', 'any origin'],
  ['THROTTLED', 'rate_limited', 'any origin'],
  ['QUOTA_EXCEEDED', 'rate_limited', 'any origin'],
  ['INTEGRATION_TIMEOUT', 'timeout', 'any origin'],
  ['INTEGRATION_FAILURE', 'internal', 'any origin'],
];

export interface GatewayResponse {
  /** The two default responses apply to many errors, so they have no status, and the gateway uses the status of each error. */
  readonly status: number | undefined;
  /** The headers besides `X-Request-Id`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The gateway's own responses by type. The local run sends them too. */
export const gatewayResponses: ReadonlyMap<string, GatewayResponse> = new Map(
  responses.map(([type, name, readers, detail = errors[name].detail]) => {
    const { status, code } = errors[name];
    const headers = {
      'X-Svc-Error-Code': code,
      'Cache-Control': 'no-store',
      ...(readers === 'any origin' && {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': EXPOSED_HEADERS,
      }),
    };
    return [type, { status: type.startsWith('DEFAULT') ? undefined : status, headers, body: JSON.stringify({ detail }) }];
  }),
);

/** The same responses in the format of API Gateway's OpenAPI extension. */
export const gatewayResponseDefinitions: Readonly<Record<string, object>> = Object.fromEntries(
  [...gatewayResponses].map(([type, { status, headers, body }]) => [
    type,
    {
      ...(status !== undefined && { statusCode: status }),
      responseParameters: {
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        ...Object.fromEntries(Object.entries(headers).map(([header, value]) => [`gatewayresponse.header.${header}`, `'${value}'`])),
      },
      responseTemplates: { 'application/json': body },
    },
  ]),
);
