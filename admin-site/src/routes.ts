import type * as z from 'zod/mini';
import type * as activations from '../../lambdas/contract/activations';
import type * as audit from '../../lambdas/contract/audit';
import type * as customers from '../../lambdas/contract/customers';
import type { Endpoint } from '../../lambdas/contract/endpoint';
import type * as licenseTypes from '../../lambdas/contract/license-types';
import type * as licenseOperations from '../../lambdas/contract/license-operations';
import type * as licenses from '../../lambdas/contract/licenses';
import type * as mail from '../../lambdas/contract/mail';
import type * as notes from '../../lambdas/contract/notes';
import type * as overview from '../../lambdas/contract/overview';
import type * as payments from '../../lambdas/contract/payments';
import type * as portalSettings from '../../lambdas/contract/portal-settings';
import type * as productCredentials from '../../lambdas/contract/product-credentials';
import type * as products from '../../lambdas/contract/products';
import type * as refusals from '../../lambdas/contract/refusals';
import type * as releases from '../../lambdas/contract/releases';
import type { Scope } from '../../lambdas/contract/scopes';
import type * as service from '../../lambdas/contract/service';
import type * as tokens from '../../lambdas/contract/tokens';
import type * as webhooks from '../../lambdas/contract/webhooks';

/**
 * The endpoints of the API. Their types come from the contract table. The build replaces `ROUTES` with other data from that table, such as
 * the method, the path and the scopes of each endpoint (infra/site.ts).
 */
declare const ROUTES: Readonly<
  Record<Name, readonly [method: string, path: string, idempotent: boolean, scopes: readonly Scope[], forBoundTokens: boolean]>
>;

type Modules = typeof activations &
  typeof audit &
  typeof customers &
  typeof licenseTypes &
  typeof licenseOperations &
  typeof licenses &
  typeof mail &
  typeof notes &
  typeof overview &
  typeof payments &
  typeof portalSettings &
  typeof productCredentials &
  typeof products &
  typeof refusals &
  typeof releases &
  typeof service &
  typeof tokens &
  typeof webhooks;
type Rows = { readonly [K in keyof Modules as Modules[K] extends Endpoint ? Modules[K]['name'] : never]: Modules[K] };

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

/** True if a token may call an endpoint. The service checks this again with each call. */
export function permits({ scopes, product_id }: Access, name: Name): boolean {
  const [, , , permitting, forBoundTokens] = ROUTES[name];
  return scopes.some((scope) => permitting.includes(scope)) && (product_id === null || forBoundTokens);
}

/** True if an endpoint supports an `Idempotency-Key`. */
export const isIdempotent = (name: Name): boolean => ROUTES[name][2];

/** The method and the path of an endpoint. */
export const routeOf = (name: Name): readonly [method: string, path: string] => [ROUTES[name][0], ROUTES[name][1]];
