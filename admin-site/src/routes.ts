import type * as z from 'zod/mini';
import type { Rows } from '../../lambdas/contract';
import type { Scope } from '../../lambdas/contract/scopes';

/**
 * The endpoints of the API. Their types come from the contract table. The build replaces `ROUTES` with other data from that table, such as
 * the method, the path and the scopes of each endpoint (infra/site.ts).
 */
declare const ROUTES: Readonly<
  Record<Name, readonly [method: string, path: string, idempotent: boolean, scopes: readonly Scope[], forBoundTokens: boolean]>
>;

/** The names of the endpoints. */
export type Name = keyof Rows;
/** The names of the endpoints that return a list. */
export type ListName = { [N in Name]: ResponseOf<N> extends readonly unknown[] ? N : never }[Name];

type Shape<N extends Name, Part extends 'params' | 'query' | 'body'> = Rows[N] extends { readonly [P in Part]: z.ZodMiniType }
  ? z.input<Rows[N][Part]>
  : never;
/** A parameter may be given as a number. It is converted to text when the URL is built. */
type Texts<T> = { readonly [K in keyof T]: T[K] | number };
type Has<T, Part> = [T] extends [never] ? unknown : Part;

/** The parameters, query and body of an endpoint. */
export type RequestOf<N extends Name> = Has<Shape<N, 'params'>, { readonly params: Texts<Shape<N, 'params'>> }> &
  Has<Shape<N, 'query'>, { readonly query?: Texts<Shape<N, 'query'>> }> &
  Has<Shape<N, 'body'>, { readonly body: Shape<N, 'body'> }>;
/** The response of an endpoint. */
export type ResponseOf<N extends Name> = Rows[N] extends { readonly response: z.ZodMiniType } ? z.output<Rows[N]['response']> : never;

/** The permissions of the current token. */
export type Access = ResponseOf<'getCurrentToken'>;

/** What a token lacks: a scope, or the access to all products. */
export type Lack = Scope | 'all-products';

/**
 * What a token lacks to call an endpoint: the narrowest scope that permits the call, or `all-products` if the token is bound to a product;
 * undefined if it may call the endpoint. The service checks this again with each call.
 */
export function lackOf({ scopes, product_id }: Access, name: Name): Lack | undefined {
  const [, , , permitting, forBoundTokens] = ROUTES[name];
  if (!scopes.some((scope) => permitting.includes(scope))) return permitting[0];
  return product_id === null || forBoundTokens ? undefined : 'all-products';
}

/** True if a token may call an endpoint. */
export const permits = (access: Access, name: Name): boolean => lackOf(access, name) === undefined;

/** True if an endpoint supports an `Idempotency-Key`. */
export const isIdempotent = (name: Name): boolean => ROUTES[name][2];

/** The method and the path of an endpoint. */
export const routeOf = (name: Name): readonly [method: string, path: string] => [ROUTES[name][0], ROUTES[name][1]];
