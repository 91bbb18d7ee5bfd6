import type { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import { credentialHeaders, isForApps, licenseHeaders, type Endpoint } from '../lambdas/contract/endpoint';
import { gatewayResponses } from './gateway-responses';

/** How the gateway invokes the function of a row. */
export interface Invocation {
  readonly uri: string;
  /** The ARN of the role that the gateway assumes to do so. */
  readonly credentials: string;
}

export interface ApiDefinitionProps {
  readonly title: string;
  readonly endpoints: readonly Endpoint[];
  readonly invocationOf: (row: Endpoint) => Invocation;
  /** Who may call the API; everybody by default. */
  readonly policy: PolicyDocument | undefined;
}

/** Headers of the response to a browser's preflight, as expressions of API Gateway. */
const preflightHeaders = ({ method, credential }: Endpoint): Readonly<Record<string, string>> => ({
  'Access-Control-Allow-Origin': "'*'",
  'Access-Control-Allow-Methods': `'${method}'`,
  'Access-Control-Allow-Headers': `'${['Content-Type', credentialHeaders.product, ...(credential === 'license' ? Object.values(licenseHeaders) : [])].join(',')}'`,
  'Access-Control-Max-Age': "'3600'",
  // A browser caches a preflight by its maximum age only. This header is for caches in between, as on every response under /v1.
  'Cache-Control': "'no-store'",
  'X-Request-Id': 'context.requestId',
});

/** The response to a preflight. The gateway gives it without a function. */
function preflight(row: Endpoint, parameters: object): object {
  const headers = preflightHeaders(row);
  return {
    ...parameters,
    responses: {
      204: {
        description: 'The browser may send the request',
        headers: Object.fromEntries(Object.keys(headers).map((name) => [name, { schema: { type: 'string' } }])),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      requestTemplates: { 'application/json': '{"statusCode": 204}' },
      responses: {
        default: {
          statusCode: '204',
          responseParameters: Object.fromEntries(Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, value])),
        },
      },
    },
  };
}

/** The parameters of a path. OpenAPI requires their declaration. */
function pathParameters(path: string): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return names.length === 0 ? {} : { parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })) };
}

/**
 * The REST API as an OpenAPI 3.0 document with API Gateway's extensions. It contains everything that the API has, because an update
 * overwrites the API with this document: removed endpoints disappear, and a closed API stays closed.
 *
 * One resource for each method and path would exceed the 500 resources of a stack. The document says only what the gateway does;
 * `/openapi.json` describes the API to people and is too large for a template.
 */
export function apiDefinition({ title, endpoints, invocationOf, policy }: ApiDefinitionProps): Record<string, unknown> {
  const paths: Record<string, Record<string, object>> = {};
  for (const row of endpoints) {
    const at = (paths[row.path] ??= {});
    const parameters = pathParameters(row.path);
    at[row.method.toLowerCase()] = {
      ...parameters,
      responses: {},
      'x-amazon-apigateway-integration': { type: 'aws_proxy', httpMethod: 'POST', ...invocationOf(row) },
    };
    if (isForApps(row)) at['options'] = preflight(row, parameters);
  }
  return {
    openapi: '3.0.1',
    info: { title, version: '1', description: 'License key service' },
    paths,
    'x-amazon-apigateway-gateway-responses': gatewayResponses,
    ...(policy && { 'x-amazon-apigateway-policy': policy }),
  };
}
