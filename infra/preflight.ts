import { DEVICE_TOKEN_HEADER } from '../lambdas/contract/edge';
import { credentialHeaders, licenseHeaders, type Endpoint } from '../lambdas/contract/endpoint';

/**
 * The headers of the response to a browser's preflight request, besides `X-Request-Id`. The gateway sends the response without invoking a
 * function.
 */
export const preflightHeaders = ({ method, credential, takesDeviceToken }: Endpoint): Readonly<Record<string, string>> => ({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': method,
  'Access-Control-Allow-Headers': [
    'Content-Type',
    credentialHeaders.product,
    ...(credential === 'license' ? Object.values(licenseHeaders) : []),
    ...(takesDeviceToken ? [DEVICE_TOKEN_HEADER] : []),
  ].join(),
  'Access-Control-Max-Age': '3600',
  // This header prevents proxies from caching the response. For a preflight response, browsers ignore it and use Access-Control-Max-Age.
  'Cache-Control': 'no-store',
});

/**
 * The request limit of each preflight route. It is the default limit of the stage, because the contract table has no rows for preflight
 * routes. API Gateway applies the limit to each route separately. Only the limit of the AWS account counts the requests of all routes
 * together.
 */
export const preflightLimit = { rate: 2000, burst: 2000 };
