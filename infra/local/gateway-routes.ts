import * as z from 'zod/mini';
import { stableId } from './aws';
import { gatewayResponses, gatewayResponseSchema, headerParameters, type GatewayResponses } from './gateway-responses';
import { TemplateError, type Template } from './template';

const integrationSchema = z.object({
  type: z.string(),
  uri: z.optional(z.string()),
  timeoutInMillis: z._default(z.number(), 29_000),
  responses: z._default(
    z.record(
      z.string(),
      z.object({
        statusCode: z.coerce.number(),
        responseParameters: z._default(z.record(z.string(), z.string()), {}),
        responseTemplates: z._default(z.record(z.string(), z.string()), {}),
      }),
    ),
    {},
  ),
});

/** The parts of an API's OpenAPI document that the local gateway supports. */
const definitionSchema = z.object({
  paths: z._default(z.record(z.string(), z.record(z.string(), z.object({ 'x-amazon-apigateway-integration': integrationSchema }))), {}),
  'x-amazon-apigateway-binary-media-types': z._default(z.array(z.string()), []),
  'x-amazon-apigateway-gateway-responses': z._default(z.record(z.string(), gatewayResponseSchema), {}),
});

/** The integration of a method: a function, or a fixed response (`mock`). */
export type Integration =
  | { readonly type: 'function'; readonly functionArn: string; readonly timeout: number }
  | { readonly type: 'mock'; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };

export interface Route {
  readonly resourceId: string;
  /** The path of the resource with the names of its parameters, such as `/v1/products/{id}`. */
  readonly resourcePath: string;
  readonly integration: Integration;
}

/** A node of the tree that contains all route paths, with one level for each segment. */
interface Node {
  readonly literals: Map<string, Node>;
  /** The child node that matches any segment, and the name of the path parameter that gets the segment as its value. */
  parameter?: { readonly name: string; readonly node: Node };
  readonly methods: Map<string, Route>;
}

const node = (): Node => ({ literals: new Map(), methods: new Map() });

export interface Match {
  readonly route: Route;
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

/** Finds the route of a method and a path, or undefined if the API has no such route. */
export type Router = (method: string, path: string) => Match | undefined;

export interface RestApi {
  readonly id: string;
  readonly stage: string;
  readonly binaryMediaTypes: readonly string[];
  readonly router: Router;
  readonly gatewayResponse: GatewayResponses;
}

/**
 * Reads the template's REST API, which an OpenAPI document defines. Functions must be defined first.
 *
 * @throws {TemplateError} if the template does not have exactly one REST API
 */
export function readRestApi(template: Template): RestApi {
  const [api, second] = template.resources('AWS::ApiGateway::RestApi');
  if (!api || second)
    throw new TemplateError(
      `The local run needs exactly one AWS::ApiGateway::RestApi, but the template has ${second ? 'more than one' : 'none'}.`,
    );
  const id = stableId(api.id, 10);
  template.define(api.id, { Ref: id, RestApiId: id });
  const stages = template.resources('AWS::ApiGateway::Stage').map((stage) => {
    const { StageName } = template.read(stage, z.object({ StageName: z.string() }));
    template.define(stage.id, { Ref: StageName });
    return StageName;
  });
  for (const deployment of template.resources('AWS::ApiGateway::Deployment')) {
    template.define(deployment.id, { Ref: stableId(deployment.id, 6), DeploymentId: stableId(deployment.id, 6) });
  }

  const { Body: definition } = template.read(api, z.object({ Body: definitionSchema }));
  const root = node();
  for (const [path, methods] of Object.entries(definition.paths)) {
    const at = segmentsOf(path).reduce(childOf, root);
    for (const [method, { 'x-amazon-apigateway-integration': integration }] of Object.entries(methods)) {
      at.methods.set(method.toUpperCase(), {
        resourceId: stableId(path, 6),
        resourcePath: path,
        integration: readIntegration(`${method.toUpperCase()} ${path}`, integration),
      });
    }
  }
  return {
    id,
    stage: stages[0] ?? 'local',
    binaryMediaTypes: definition['x-amazon-apigateway-binary-media-types'],
    router: (method, path) => find(root, method, path),
    gatewayResponse: gatewayResponses(definition['x-amazon-apigateway-gateway-responses']),
  };
}

/** Finds or creates the child node for a segment of a route's path. */
function childOf(parent: Node, segment: string): Node {
  const name = /^\{(.+)\}$/.exec(segment)?.[1];
  if (name !== undefined) {
    const parameter = (parent.parameter ??= { name, node: node() });
    if (parameter.name !== name)
      throw new TemplateError(`API Gateway refuses two names, {${parameter.name}} and {${name}}, for the same path parameter.`);
    return parameter.node;
  }
  const child = parent.literals.get(segment) ?? node();
  parent.literals.set(segment, child);
  return child;
}

function readIntegration(route: string, { type, uri, timeoutInMillis, responses }: z.infer<typeof integrationSchema>): Integration {
  if (type === 'aws_proxy') {
    const functionArn = /\/functions\/([^/]+)\/invocations$/.exec(uri ?? '')?.[1];
    if (functionArn === undefined) throw new TemplateError(`${route} does not name the function that serves it.`);
    return { type: 'function', functionArn, timeout: timeoutInMillis };
  }
  const response = responses['default'];
  if (type !== 'mock' || !response) throw new TemplateError(`${route}: integrations of the type ${type} do not run locally.`);
  return {
    type: 'mock',
    status: response.statusCode,
    headers: headerParameters(response.responseParameters, 'method.response.header.'),
    body: response.responseTemplates['application/json'] ?? '',
  };
}

/** Splits a path into segments. As on AWS, one trailing slash is ignored. */
const segmentsOf = (path: string): string[] => (path === '/' ? [] : path.replace(/^\//, '').replace(/\/$/, '').split('/'));

/** Decodes a segment of a path. If the encoding is invalid, the segment is returned unchanged. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function find(root: Node, method: string, path: string): Match | undefined {
  const parameters: Record<string, string> = {};
  const at = descend(root, segmentsOf(path).map(decode), parameters);
  const route = at?.methods.get(method);
  return route && { route, pathParameters: Object.keys(parameters).length > 0 ? parameters : null };
}

/** Finds the node of a path. Literal segments take precedence over parameters. */
function descend(from: Node, [segment, ...rest]: readonly string[], parameters: Record<string, string>): Node | undefined {
  if (segment === undefined) return from.methods.size > 0 ? from : undefined;
  const literal = from.literals.get(segment);
  const found = literal && descend(literal, rest, parameters);
  if (found || !from.parameter || segment === '') return found;
  const { name, node } = from.parameter;
  parameters[name] = segment;
  const below = descend(node, rest, parameters);
  if (!below) delete parameters[name];
  return below;
}
