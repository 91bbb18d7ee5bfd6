import * as z from 'zod/mini';
import type { FunctionAccess } from './access';
import type { ErrorName } from './errors';
import type { EventName } from './events';
import { isHidden, type PortalAction } from './portal-actions';
import { permits, scopes, type NeededScope } from './scopes';

/**
 * The credential that a caller needs. `none`: anyone may call. `admin`: the operator (`X-Svc-Admin-Token`). `product`: a client app
 * (`X-API-Key`). `license`: anyone with a license (see {@link licenseHeaders}). `portal`: a buyer who is signed in to the portal of a
 * product (`X-Portal-Session`). `signature`: a payment processor, with the secret URL and a signature over the body (docs/spec/payments.md,
 * Receiving).
 */
export type Credential = 'none' | 'admin' | 'product' | 'license' | 'portal' | 'signature';

/** The request header for each credential, in lower case. */
export const credentialHeaders = { admin: 'x-svc-admin-token', product: 'x-api-key', portal: 'x-portal-session' } as const;

/**
 * The request headers that identify a license, in lower case. `key` contains the license key. If the path contains the product's id instead
 * of its slug, a request with `key` also needs the product's API key. `token` contains an offline token of the license. A request needs
 * neither header if the downloads of the product are public (docs/spec/releases.md, Who asks).
 */
export const licenseHeaders = { key: 'x-license-key', token: 'x-license-token' } as const;

/** The media types of responses that are not JSON. */
export type TextType = 'text/yaml' | 'application/xml' | 'text/html';

/** The rate limit of a route, for all callers together: the number of requests per second, and the size of a burst. */
export interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

/**
 * The size of a function determines its memory, its share of a processor, and its timeout. `small` functions read no data. `standard`
 * functions are for operators. `fast` functions are for requests that client apps wait for when they start. `large` functions can keep a
 * list of up to 5 MB in memory.
 */
export type FunctionSize = 'small' | 'standard' | 'fast' | 'large';

/**
 * The subject of an admin request. The subject decides which requests a token that is bound to one product may make. It also decides which
 * product and license the audit log names:
 *
 * - `product`, `license`, `license_type`, `release`, `delivery`, `payment_connection`, `payment`: the resource in the path; 404 for a token
 *   that is bound to another product
 * - `products`: several products; a bound token sees only its own product
 * - `deployment`: no product; 403 for a bound token
 * - `caller`: the token of the request; allowed for every token
 */
export type Subject =
  | 'product'
  | 'license'
  | 'license_type'
  | 'release'
  | 'delivery'
  | 'payment_connection'
  | 'payment'
  | 'products'
  | 'deployment'
  | 'caller';

/** A column of a list in CSV format. */
export interface Column<Row> {
  readonly name: string;
  /** The content of the column, for the documentation. */
  readonly description: string;
  readonly value: (row: Row) => string | number | null;
  /** The value of the query parameter `include` without which there is no such column. The column may use undeclared fields of the row. */
  readonly include?: string;
  /** Whether newline-delimited JSON also has the column, because the row itself has no such field. */
  readonly inNdjson?: true;
}

/**
 * The callers that may call the endpoint. An admin endpoint also names the required scope and the subject of the request. A portal endpoint
 * names the action that the portal must allow.
 */
type Authorization =
  | { readonly credential: 'admin'; readonly scope: NeededScope; readonly subject: Subject }
  | { readonly credential: 'none' | 'product' | 'license' | 'signature'; readonly scope?: undefined; readonly subject?: undefined }
  /** `allow`: the action that the vendor must have allowed in the product's portal; without `allow`, every buyer may call the endpoint. */
  | { readonly credential: 'portal'; readonly allow?: PortalAction; readonly scope?: undefined; readonly subject?: undefined };

/** A row of the contract table, in which fields with a default may be missing. */
type Row = Operation & Authorization;

/** The fields that {@link endpoint} adds to a row if they are missing. */
interface WithDefaults<Written> {
  readonly status: Written extends { readonly status: infer Status } ? Status : 200;
  readonly errors: Written extends { readonly errors: infer Errors } ? Errors : readonly [];
}

/** A row of the contract table. Everything else about an endpoint is derived from its row. */
export type Endpoint = Row & Required<Pick<Row, 'status' | 'errors'>>;

/** The part of a row from which the status and the headers of a response follow. It contains no schema. */
export type Route = Pick<Endpoint, 'name' | 'path' | 'credential' | 'status' | 'maxAgeSeconds' | 'revalidated' | 'columns'>;

interface Operation extends FunctionAccess {
  /** The operation's name. Its handler is `lambdas/api/<name in kebab-case>.ts`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with `{parameters}`; `params` describes each parameter. */
  readonly path: string;
  readonly tag:
    | 'Service'
    | 'Products'
    | 'License types'
    | 'Releases'
    | 'Downloads'
    | 'Licenses'
    | 'Activation'
    | 'Webhooks'
    | 'Mail'
    | 'Payments'
    | 'Customers'
    | 'Portal'
    | 'Audit log'
    | 'Admin tokens';
  readonly summary: string;
  readonly description: string;
  /** The path parameters. An invalid value identifies no resource, so it results in 404. */
  readonly params?: z.ZodMiniType<Record<string, unknown>>;
  /** Whether an app may send its device's offline token in the header `X-Svc-Token`. */
  readonly takesDeviceToken?: true;
  /** True if the service stores the country of the caller. The distribution tells the country only to such endpoints. */
  readonly storesCountry?: true;
  /** The query parameters. An invalid value results in 422. */
  readonly query?: z.ZodMiniType<Record<string, unknown>>;
  /** The JSON object in the body. An invalid value results in 422. */
  readonly body?: z.ZodMiniType<Record<string, unknown>>;
  /** True for a POST request whose body is ignored, regardless of the body's media type. */
  readonly ignoresBody?: true;
  /** True if the body may be missing. A missing body is read as `{}`. */
  readonly bodyOptional?: boolean;
  /**
   * Whether the endpoint supports the `Idempotency-Key` header. Its stored responses are encrypted. The row of an endpoint that creates
   * something says `false` if the endpoint does not support the header, and why it needs none.
   */
  readonly idempotent?: boolean;
  /**
   * True for a write that only adds something: the write does not replace, end or remove anything that existed before. A write with status
   * 201 is always such a write. Any other write counts as destructive unless this field is true ({@link isDestructive}).
   */
  readonly additive?: true;
  /**
   * True for a write that is not recorded in the audit log, because it happens too often: the entry would cost more than the write.
   */
  readonly unaudited?: true;
  /** True for a POST request that changes nothing. Such a request is not recorded in the audit log. */
  readonly changesNothing?: true;
  /**
   * True for a POST request whose repetition changes nothing, even without an `Idempotency-Key`. Requests with other methods are always
   * repeatable ({@link isRepeatable}).
   */
  readonly repeatable?: true;
  /** The status of a successful response; by default 200. 302 is a redirect, which has no body. */
  readonly status?: 200 | 201 | 202 | 302;
  /** The status of a successful request that changed nothing, if it differs from `status`. */
  readonly repeatedStatus?: 200;
  /** The status of a successful response without content, if it differs from `status`. A response with this status has no body. */
  readonly emptyStatus?: 204;
  /** The media type of a response that is not JSON. Such a response is a text. */
  readonly mediaType?: TextType;
  /** The schema of the response. Fields that are not in the schema are removed before the response is sent. */
  readonly response: z.ZodMiniType;
  /**
   * The columns of a list. A list with columns is also available as CSV and as newline-delimited JSON, if the `Accept` header requests one
   * of these formats. A list without columns is available only as JSON.
   */
  readonly columns?: readonly Column<never>[];
  /** The possible business errors. Errors that follow from the endpoint's other fields are not listed (see {@link possibleErrors}). */
  readonly errors?: readonly ErrorName[];
  /**
   * The events that the endpoint can record. An endpoint with events may send to the event queue.
   */
  readonly emits?: readonly EventName[];
  /**
   * The event that most requests of a client app record. If no webhook receives the event, the first read of a request includes the product,
   * because the product may have got a webhook since it was cached.
   */
  readonly usuallyRecords?: EventName;
  /**
   * The number of seconds for which anyone may cache the response. Only an endpoint whose response is the same for every caller has this
   * field. Without this field, the response must not be cached.
   */
  readonly maxAgeSeconds?: number;
  /**
   * True if only the caller may cache the response. Before each use, the caller must ask the service whether the response has changed
   * (`ETag`).
   */
  readonly revalidated?: true;
  /** The rate limit of the route. {@link throttleOf} has the default. */
  readonly throttle?: Throttle;
  /** The size of the function. {@link sizeOf} has the default. */
  readonly size?: FunctionSize;
  readonly examples: { readonly request?: Record<string, unknown>; readonly response: unknown };
}

/**
 * Creates a row: adds the status 200 and no errors if the row names none, and keeps the row's precise type, so that the handler of the
 * endpoint knows the exact schemas. `PURE` in front of each call tells esbuild that the call has no side effect. A bundle therefore contains
 * only the rows that it uses. Callers pass the row as a function: if they passed the row itself, esbuild would remove an unused row, but
 * keep the calls that create its schemas.
 */
export const endpoint = <const Written extends Row>(row: () => Written) =>
  ({ status: 200, errors: [], ...row() }) as Written & WithDefaults<Written>;

/** Whether an export of this folder is a row. */
export const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'path' in value && 'response' in value;

/** The media types in which lists are available, besides JSON. */
export const listMediaTypes = ['text/csv', 'application/x-ndjson'] as const;
export type ListMediaType = (typeof listMediaTypes)[number];

/**
 * Whether web pages of any origin may read the responses. This is true for endpoints that client apps call, and for cacheable responses
 * that are the same for everyone.
 */
export const isForEveryOrigin = ({ credential, maxAgeSeconds }: Pick<Endpoint, 'credential' | 'maxAgeSeconds'>): boolean =>
  isForApps({ credential }) || maxAgeSeconds !== undefined;

/** Whether responses have `Cache-Control: no-store` by default. The row of an endpoint can allow caching instead. */
export const isUncached = ({ path }: Pick<Endpoint, 'path'>): boolean => /^\/(v1|feeds)\//.test(path);

/**
 * Whether client apps call the endpoint. Before such a request, browsers send a CORS preflight request, because the request has headers
 * that a web page may not send to another origin without permission.
 */
export const isForApps = ({ credential }: Pick<Endpoint, 'credential'>): boolean => credential === 'product' || credential === 'license';

/** Whether requests to the endpoint have a JSON body. */
export const takesBody = ({ method, ignoresBody }: Pick<Endpoint, 'method' | 'ignoresBody'>): boolean =>
  (method === 'POST' || method === 'PUT' || method === 'PATCH') && ignoresBody !== true;

/** Whether a request can replace, end or remove something that existed before. */
export const isDestructive = ({ method, status, additive }: Pick<Endpoint, 'method' | 'status' | 'additive'>): boolean =>
  method !== 'GET' && status !== 201 && additive !== true;

/** Whether repeating a request has no further effect. */
export const isRepeatable = ({ method, repeatable }: Pick<Endpoint, 'method' | 'repeatable'>): boolean =>
  method !== 'POST' || repeatable === true;

/** All errors with which an endpoint can respond: the errors that its row lists, and the errors that follow from its other fields. */
export const possibleErrors = (row: Endpoint): readonly ErrorName[] => {
  const all = new Set<ErrorName>(row.errors);
  if (row.credential !== 'none') all.add('unauthorized');
  // If every scope permits the request, no token is refused. The exception is an endpoint that concerns no product: it refuses tokens that
  // are bound to a product.
  if (row.credential === 'admin' && (row.subject === 'deployment' || !scopes.every((scope) => permits([scope], row.scope))))
    all.add('forbidden');
  if (row.credential === 'portal' && row.allow !== undefined && !isHidden(row.allow)) all.add('forbidden');
  if (row.query || takesBody(row)) all.add('invalid_request');
  if (row.params && (row.credential === 'admin' || row.credential === 'none' || row.credential === 'portal')) all.add('not_found');
  if (row.idempotent) all.add('idempotency_mismatch').add('invalid_request');
  for (const name of ['rate_limited', 'internal', 'unavailable', 'timeout'] as const) all.add(name);
  return [...all];
};

/**
 * Whether a successful request is recorded in the audit log. Every write of an operator or a buyer is recorded. (docs/spec/operator.md,
 * Audit log)
 */
export const isAudited = ({
  credential,
  method,
  changesNothing,
  unaudited,
}: Pick<Endpoint, 'credential' | 'method' | 'changesNothing' | 'unaudited'>): boolean =>
  (credential === 'admin' || credential === 'portal') && method !== 'GET' && changesNothing !== true && unaudited !== true;

/** Whether a request may forbid that its events are posted to the webhook. It may do so if an operator changes a license. */
export const takesWebhookHeader = ({ credential, emits = [] }: Pick<Endpoint, 'credential' | 'emits'>): boolean =>
  credential === 'admin' && emits.some((event) => event.startsWith('license.'));

/** Whether an endpoint may send to the event queue. */
export const usesQueue = ({ queue, emits = [] }: Pick<Endpoint, 'queue' | 'emits'>): boolean => queue ?? emits.length > 0;

/** The rate limit of a route, for all callers together. The firewall also limits the requests of each IP address. */
export function throttleOf({ throttle, credential }: Endpoint): Throttle {
  if (throttle) return throttle;
  // The limit is high enough for an operator's import, and too low for guessing an admin token.
  if (credential === 'admin') return { rate: 100, burst: 200 };
  // The limit is enough for people who use the portal's pages.
  if (credential === 'portal') return { rate: 50, burst: 100 };
  // Anyone can use up the limit of an endpoint that needs no credential. The limit is so low that all such endpoints together leave most of
  // the account's limit to the endpoints that need a credential.
  return { rate: 200, burst: 400 };
}

/** The size of the function of an endpoint. */
export function sizeOf({ size, credential, response, store }: Endpoint): FunctionSize {
  if (size) return size;
  if (credential === 'product' || credential === 'license') return 'fast';
  if (response instanceof z.ZodMiniArray) return 'large';
  return credential === 'none' && Object.keys(store).length === 0 ? 'small' : 'standard';
}

/** The name of the handler's file and of its bundle: `revokeLicense` becomes `revoke-license`. */
export const fileName = (row: Pick<Endpoint, 'name'>): string => row.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
