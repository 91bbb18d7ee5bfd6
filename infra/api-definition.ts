import type { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import { isForApps, type Endpoint } from '../lambdas/contract/endpoint';
import { gatewayResponseDefinitions } from './gateway-responses';
import { preflightHeaders } from './preflight';

/** How the gateway invokes the function of an endpoint. */
export interface Invocation {
  readonly uri: string;
  /** The ARN of the role that the gateway assumes to invoke the function. */
  readonly credentials: string;
}

export interface ApiDefinitionProps {
  readonly title: string;
  readonly endpoints: readonly Endpoint[];
  readonly invocationOf: (row: Endpoint) => Invocation;
  /** The resource policy that limits who may call the API. If undefined, everybody may call it. */
  readonly policy: PolicyDocument | undefined;
}

/** The response to a preflight request. The gateway sends it without invoking a function. */
function preflight(row: Endpoint, parameters: object): object {
  const headers = {
    ...Object.fromEntries(Object.entries(preflightHeaders(row)).map(([name, value]) => [name, `'${value}'`])),
    'X-Request-Id': 'context.requestId',
  };
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

/** Declares the parameters of a path. OpenAPI requires these declarations. */
function pathParameters(path: string): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return names.length === 0 ? {} : { parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })) };
}

/**
 * The REST API as an OpenAPI 3.0 document with API Gateway's extensions. Each update overwrites the whole API with this document, so the
 * document must contain everything. If an endpoint or the resource policy is missing from the document, the update removes it from the API.
 *
 * The stack defines the API with a document, because one CloudFormation resource per method and path would exceed the limit of 500
 * resources. This document contains only what the gateway needs. Another document, `/openapi.json`, describes the API to people. That other
 * document would be too large for a template.
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
    'x-amazon-apigateway-gateway-responses': gatewayResponseDefinitions,
    ...(policy && { 'x-amazon-apigateway-policy': policy }),
  };
}
