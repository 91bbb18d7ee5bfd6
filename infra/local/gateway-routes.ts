import * as z from 'zod';
import { stableId } from './aws';
import { TemplateError, type Template } from './template';

const resourceProperties = z.object({ ParentId: z.string(), PathPart: z.string() });
const methodProperties = z.object({
  HttpMethod: z.string(),
  ResourceId: z.string(),
  Integration: z
    .object({
      Type: z.string(),
      Uri: z.string().optional(),
      TimeoutInMillis: z.coerce.number().default(29_000),
      IntegrationResponses: z
        .array(
          z.object({
            StatusCode: z.coerce.number(),
            ResponseParameters: z.record(z.string(), z.string()).default({}),
            ResponseTemplates: z.record(z.string(), z.string()).default({}),
          }),
        )
        .default([]),
    })
    .optional(),
});

/** What handles a method: a function, or (`mock`) fixed headers. */
export type Integration =
  | { readonly type: 'function'; readonly functionArn: string; readonly timeout: number }
  | { readonly type: 'mock'; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };

export interface Route {
  readonly resourceId: string;
  /** The resource's path with `{parameters}`. */
  readonly resourcePath: string;
  readonly integration: Integration;
}

/** A node of the resource tree. */
interface Node {
  readonly id: string;
  readonly path: string;
  readonly literals: Map<string, Node>;
  /** The child that matches any one segment (`{name}`) or all that remain (`{name+}`). */
  parameter?: { readonly name: string; readonly greedy: boolean; readonly node: Node };
  readonly methods: Map<string, Route>;
}

const node = (id: string, path: string): Node => ({ id, path, literals: new Map(), methods: new Map() });

export interface Match {
  readonly route: Route;
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

/** Finds the route of a method and a path, or undefined if the API has none. */
export type Router = (method: string, path: string) => Match | undefined;

export interface RestApi {
  readonly id: string;
  readonly stage: string;
  readonly binaryMediaTypes: readonly string[];
  readonly router: Router;
}

/** Reads the template's one REST API. Functions must be defined before. */
export function readRestApi(template: Template): RestApi {
  const [api, second] = template.resources('AWS::ApiGateway::RestApi');
  if (!api || second) throw new TemplateError(`The local run needs exactly one AWS::ApiGateway::RestApi, this template has ${second ? 'more' : 'none'}.`);
  const id = stableId(api.id, 10);
  const root = node(stableId(`${api.id}/`, 10), '/');
  template.define(api.id, { Ref: id, RootResourceId: root.id, RestApiId: id });
  const stages = template.resources('AWS::ApiGateway::Stage').map((stage) => {
    const { StageName } = template.read(stage, z.object({ StageName: z.string() }));
    template.define(stage.id, { Ref: StageName });
    return StageName;
  });
  for (const deployment of template.resources('AWS::ApiGateway::Deployment')) {
    template.define(deployment.id, { Ref: stableId(deployment.id, 6), DeploymentId: stableId(deployment.id, 6) });
  }

  const nodes = readTree(template, root);
  for (const method of template.resources('AWS::ApiGateway::Method')) {
    const { HttpMethod, ResourceId, Integration } = template.read(method, methodProperties);
    const at = nodes.get(ResourceId);
    if (!at) throw new TemplateError(`${method.id} (${method.Type}) belongs to no resource of ${api.id}.`);
    if (Integration) {
      at.methods.set(HttpMethod, { resourceId: at.id, resourcePath: at.path, integration: readIntegration(method.id, Integration) });
    }
  }
  const { BinaryMediaTypes } = template.read(api, z.object({ BinaryMediaTypes: z.array(z.string()).default([]) }));
  return { id, stage: stages[0] ?? 'local', binaryMediaTypes: BinaryMediaTypes, router: (method, path) => find(root, method, path) };
}

/** Builds the resource tree below the root. @returns its nodes by id */
function readTree(template: Template, root: Node): Map<string, Node> {
  const resources = template.resources('AWS::ApiGateway::Resource');
  for (const { id } of resources) template.define(id, { Ref: stableId(id, 6), ResourceId: stableId(id, 6) });
  const nodes = new Map([[root.id, root]]);
  // A child may stand before its parent in the template.
  for (let pending = resources; pending.length > 0; ) {
    const orphans = pending.filter((resource) => {
      const { ParentId, PathPart } = template.read(resource, resourceProperties);
      const parent = nodes.get(ParentId);
      if (!parent) return true;
      const child = node(stableId(resource.id, 6), `${parent.path === '/' ? '' : parent.path}/${PathPart}`);
      const parameter = /^\{([^+}]+)(\+?)\}$/.exec(PathPart);
      if (parameter) parent.parameter = { name: parameter[1]!, greedy: parameter[2] === '+', node: child };
      else parent.literals.set(PathPart, child);
      nodes.set(child.id, child);
      return false;
    });
    if (orphans.length === pending.length) throw new TemplateError(`${orphans[0]!.id} (AWS::ApiGateway::Resource) hangs below no resource of the API.`);
    pending = orphans;
  }
  return nodes;
}

function readIntegration(id: string, { Type, Uri, TimeoutInMillis, IntegrationResponses }: NonNullable<z.infer<typeof methodProperties>['Integration']>): Integration {
  if (Type === 'AWS_PROXY') {
    const functionArn = /\/functions\/(.+)\/invocations$/.exec(Uri ?? '')?.[1];
    if (functionArn === undefined) throw new TemplateError(`${id} (AWS::ApiGateway::Method) does not name the function that serves it.`);
    return { type: 'function', functionArn, timeout: TimeoutInMillis };
  }
  const [response] = IntegrationResponses;
  if (Type !== 'MOCK' || !response) throw new TemplateError(`${id} (AWS::ApiGateway::Method): integrations of the type ${Type} do not run locally.`);
  return {
    type: 'mock',
    status: response.StatusCode,
    headers: headerParameters(response.ResponseParameters, 'method.response.header.'),
    body: response.ResponseTemplates['application/json'] ?? '',
  };
}

/** The header parameters among response parameters, by header name. */
export const headerParameters = (parameters: Readonly<Record<string, string>>, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );

/** Decodes a segment; one that is encoded wrongly is left unchanged. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function find(root: Node, method: string, path: string): Match | undefined {
  const parameters: Record<string, string> = {};
  // As on AWS, one slash at the end changes nothing.
  const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/').map(decode);
  const at = path === '/' ? root : descend(root, segments, parameters);
  const route = at?.methods.get(method) ?? at?.methods.get('ANY');
  return route && { route, pathParameters: Object.keys(parameters).length > 0 ? parameters : null };
}

/** Literal segments win over parameters, those over greedy ones. */
function descend(from: Node, [segment, ...rest]: readonly string[], parameters: Record<string, string>): Node | undefined {
  if (segment === undefined) return from.methods.size > 0 ? from : undefined;
  const literal = from.literals.get(segment);
  const found = literal && descend(literal, rest, parameters);
  if (found || !from.parameter || segment === '') return found;
  const { name, greedy, node } = from.parameter;
  parameters[name] = greedy ? [segment, ...rest].join('/') : segment;
  const below = greedy ? node : descend(node, rest, parameters);
  if (!below) delete parameters[name];
  return below;
}

