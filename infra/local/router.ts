import { endpoints } from '../../lambdas/contract';
import { isForApps, throttleOf, type Endpoint } from '../../lambdas/contract/endpoint';
import { preflightLimit } from '../preflight';
import { Bucket } from './throttles';

/** The routes of the contract. Like API Gateway, each method of each path has its own request limit, which counts all callers together. */

export interface Route {
  readonly row: Endpoint;
  /** True for the response to a browser's preflight request. */
  readonly isPreflight: boolean;
  readonly bucket: Bucket;
}

/** A node of the tree that contains all paths, with one level for each segment. */
interface Node {
  readonly literals: Map<string, Node>;
  /** The child node that matches any segment, and the name of the path parameter that gets the segment as its value. */
  parameter?: { readonly name: string; readonly node: Node };
  readonly methods: Map<string, Route>;
}

export interface Match {
  readonly route: Route;
  readonly pathParameters: Record<string, string> | null;
}

const node = (): Node => ({ literals: new Map(), methods: new Map() });

/** Splits a path into segments. Like in API Gateway, one trailing slash is ignored. */
const segmentsOf = (path: string): string[] => (path === '/' ? [] : path.replace(/^\//, '').replace(/\/$/, '').split('/'));

/** Decodes a segment of a path. If the encoding is invalid, the segment is returned unchanged. */
export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Finds or creates the child node for a segment of a route's path. */
function childOf(parent: Node, segment: string): Node {
  const name = /^\{(.+)\}$/.exec(segment)?.[1];
  if (name !== undefined) return (parent.parameter ??= { name, node: node() }).node;
  const child = parent.literals.get(segment) ?? node();
  parent.literals.set(segment, child);
  return child;
}

/** Finds the node of a path. Literal segments take precedence over parameters. */
function descend(from: Node, segments: readonly string[], at: number, parameters: Record<string, string>): Node | undefined {
  const segment = segments[at];
  if (segment === undefined) return from.methods.size > 0 ? from : undefined;
  const literal = from.literals.get(segment);
  const found = literal && descend(literal, segments, at + 1, parameters);
  if (found || !from.parameter || segment === '') return found;
  const { name, node: next } = from.parameter;
  const below = descend(next, segments, at + 1, parameters);
  if (below) parameters[name] = segment;
  return below;
}

/** Returns a function that finds the route of a method and a path; undefined if the contract has no such route. */
export function createRouter(): (method: string, path: string) => Match | undefined {
  const root = node();
  for (const row of endpoints) {
    const { methods } = segmentsOf(row.path).reduce(childOf, root);
    methods.set(row.method, { row, isPreflight: false, bucket: new Bucket(throttleOf(row)) });
    if (isForApps(row)) methods.set('OPTIONS', { row, isPreflight: true, bucket: new Bucket(preflightLimit) });
  }
  return (method, path) => {
    const pathParameters: Record<string, string> = {};
    const route = descend(root, segmentsOf(path).map(decode), 0, pathParameters)?.methods.get(method);
    return route && { route, pathParameters: Object.keys(pathParameters).length > 0 ? pathParameters : null };
  };
}
