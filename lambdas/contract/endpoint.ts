import * as z from 'zod';
import type { FunctionAccess } from './access';
import type { ErrorName } from './errors';
import type { EventName } from './events';
import type { PortalAction } from './portal-actions';
import { permits, scopes, type NeededScope } from './scopes';

/**
 * Who may call: anyone (`none`), the operator (`X-Svc-Admin-Token`), a client app (`X-API-Key`), a license (see
 * {@link licenseHeaders}), a buyer who has signed in to the portal of a product (`X-Portal-Session`), or a payment processor (by
 * the secret URL and a signature over the body; docs/spec/payments.md, Receiving).
 */
export type Credential = 'none' | 'admin' | 'product' | 'license' | 'portal' | 'signature';

/** The request header that carries each credential, lower-case. */
export const credentialHeaders = { admin: 'x-svc-admin-token', product: 'x-api-key', portal: 'x-portal-session' } as const;

/**
 * The request headers that carry a license, lower-case: its key, together with the product's API key if the path has the
 * product's id instead of its slug; or one of its offline tokens alone. Nobody needs either if the downloads of the
 * product are public. (docs/spec/releases.md, Who asks)
 */
export const licenseHeaders = { key: 'x-license-key', token: 'x-license-token' } as const;

/** The media types of responses that are not JSON. */
export type TextType = 'text/yaml' | 'application/xml' | 'text/html';

/** The rate limit of a route, for all callers together: requests per second, and the size of a burst. */
export interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

/**
 * The memory (which also sets the share of a processor) and the timeout of a function: `small` reads no data;
 * `standard` is for operators; `fast` is for requests that client apps wait for when they start; `large` can hold a
 * list of up to 5 MB in memory.
 */
export type FunctionSize = 'small' | 'standard' | 'fast' | 'large';

/**
 * What an admin request is about. It decides which requests a token that is bound to one product may make, and which
 * product and license the audit log names:
 *
 * - `product`, `license`, `license_type`, `release`, `delivery`: the one that the path names; 404 for a token of another product
 * - `products`: several products; a bound token sees only its own
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

/** A column of a list as CSV. */
export interface Column<Row> {
  readonly name: string;
  /** Its content, for the documentation. */
  readonly description: string;
  readonly value: (row: Row) => string | number | null;
}

/** Who may call. An admin row also names the required scope and what the request is about, a portal row what must be allowed. */
type Authorization =
  | { readonly credential: 'admin'; readonly scope: NeededScope; readonly subject: Subject }
  | { readonly credential: 'none' | 'product' | 'license' | 'signature'; readonly scope?: undefined; readonly subject?: undefined }
  /** `allow`: what the product's portal must allow for it; absent: every buyer may. */
  | { readonly credential: 'portal'; readonly allow?: PortalAction; readonly scope?: undefined; readonly subject?: undefined };

/** One row of the contract table. Everything else about an endpoint is derived from it. */
export type Endpoint = Operation & Authorization;

interface Operation extends FunctionAccess {
  /** The operation's name; its handler is `lambdas/api/<name in kebab-case>.ts`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path with `{parameters}`; `params` describes each of them. */
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
  /** Path parameters. An invalid value identifies no resource: 404. */
  readonly params?: z.ZodType<Record<string, unknown>>;
  /** Query parameters. An invalid value: 422. */
  readonly query?: z.ZodType<Record<string, unknown>>;
  /** The JSON object in the body. An invalid value: 422. */
  readonly body?: z.ZodType<Record<string, unknown>>;
  /** True for a POST whose body is not read, regardless of its type. */
  readonly ignoresBody?: true;
  /** True if the body may be left out; an absent body is read as `{}`. */
  readonly bodyOptional?: boolean;
  /** Whether the `Idempotency-Key` header is supported. */
  readonly idempotent?: boolean;
  /**
   * True for a write that only adds: it replaces, ends and removes nothing that was there before. What is created (201) always does; any
   * other write counts as destructive unless it says this ({@link isDestructive}).
   */
  readonly additive?: true;
  /** True for a POST that changes nothing at all: it is not in the audit log. */
  readonly changesNothing?: true;
  /**
   * True for a POST that changes nothing more when the same request is repeated, without an `Idempotency-Key`. Every other method
   * promises it ({@link isRepeatable}).
   */
  readonly repeatable?: true;
  /** 302: a redirect, whose response has no body. */
  readonly status: 200 | 201 | 202 | 302;
  /** The status of a success that changed nothing, if it is another one. */
  readonly repeatedStatus?: 200;
  /** The status of a success that has nothing to tell, if it is another one; that response has no body. */
  readonly emptyStatus?: 204;
  /** The media type of the response if it is not JSON; the response is then a text. */
  readonly mediaType?: TextType;
  /** The response's schema; fields that it does not name are removed before sending. */
  readonly response: z.ZodType;
  /**
   * The columns of a list that is also available as CSV and newline-delimited JSON, chosen by `Accept`. A list without
   * columns is JSON only.
   */
  readonly columns?: readonly Column<never>[];
  /** Business errors in addition to those that follow from the row's other fields (see {@link possibleErrors}). */
  readonly errors: readonly ErrorName[];
  /** Events that it can record. If there are any, it may send to the event queue. */
  readonly emits?: readonly EventName[];
  /** How long anyone may cache the response, which is then the same for every caller. Absent: it must not be cached. */
  readonly maxAgeSeconds?: number;
  /** True if only the caller may keep the response, and must ask each time whether it is still current (`ETag`). */
  readonly revalidated?: true;
  /** The route's rate limit; see {@link throttleOf} for the default. */
  readonly throttle?: Throttle;
  /** The function's size; see {@link sizeOf} for the default. */
  readonly size?: FunctionSize;
  readonly examples: { readonly request?: Record<string, unknown>; readonly response: unknown };
}

/** Keeps the precise type of a row, so that its handler sees the exact schemas. */
export const endpoint = <const E extends Endpoint>(row: E): E => row;

/** The media types of lists besides JSON. */
export const listMediaTypes = ['text/csv', 'application/x-ndjson'] as const;
export type ListMediaType = (typeof listMediaTypes)[number];

/** Whether web pages of any origin may read the responses: those with credentials that apps carry, and those for everyone. */
export const isForEveryOrigin = ({ credential, maxAgeSeconds }: Pick<Endpoint, 'credential' | 'maxAgeSeconds'>): boolean =>
  isForApps({ credential }) || maxAgeSeconds !== undefined;

/** Whether nobody may keep a response, unless its row says otherwise. */
export const isUncached = ({ path }: Pick<Endpoint, 'path'>): boolean => /^\/(v1|feeds)\//.test(path);

/** Whether client apps call it, with headers that a browser asks about first. */
export const isForApps = ({ credential }: Pick<Endpoint, 'credential'>): boolean => credential === 'product' || credential === 'license';

/** Whether requests have a JSON body. */
export const takesBody = ({ method, ignoresBody }: Pick<Endpoint, 'method' | 'ignoresBody'>): boolean =>
  (method === 'POST' || method === 'PATCH') && ignoresBody !== true;

/** Whether a request can replace, end or remove what was there before. */
export const isDestructive = ({ method, status, additive }: Pick<Endpoint, 'method' | 'status' | 'additive'>): boolean =>
  method !== 'GET' && status !== 201 && additive !== true;

/** Whether the same request changes nothing more when it is repeated. */
export const isRepeatable = ({ method, repeatable }: Pick<Endpoint, 'method' | 'repeatable'>): boolean =>
  method !== 'POST' || repeatable === true;

/** Every error that an endpoint can respond with: its own, and those that follow from its other fields. */
export const possibleErrors = (row: Endpoint): readonly ErrorName[] => {
  const all = new Set<ErrorName>(row.errors);
  if (row.credential !== 'none') all.add('unauthorized');
  // If every scope permits the row, no token is refused, except bound tokens by rows that concern no product.
  if (row.credential === 'admin' && (row.subject === 'deployment' || !scopes.every((scope) => permits([scope], row.scope))))
    all.add('forbidden');
  if (row.credential === 'portal' && row.allow !== undefined) all.add('forbidden');
  if (row.query || takesBody(row)) all.add('invalid_request');
  if (row.params && (row.credential === 'admin' || row.credential === 'none' || row.credential === 'portal')) all.add('not_found');
  if (row.idempotent) all.add('idempotency_mismatch').add('invalid_request');
  for (const name of ['rate_limited', 'internal', 'unavailable', 'timeout'] as const) all.add(name);
  return [...all];
};

/** Whether a successful request is recorded in the audit log: every write of an operator or a buyer is. (docs/spec/operator.md, Audit log) */
export const isAudited = ({ credential, method, changesNothing }: Pick<Endpoint, 'credential' | 'method' | 'changesNothing'>): boolean =>
  (credential === 'admin' || credential === 'portal') && method !== 'GET' && changesNothing !== true;

/** Whether an endpoint may send to the event queue. */
export const usesQueue = ({ queue, emits = [] }: Pick<Endpoint, 'queue' | 'emits'>): boolean => queue ?? emits.length > 0;

/** The rate limit of a route, for all callers together; limits for each address are the firewall's. */
export function throttleOf({ throttle, credential }: Endpoint): Throttle {
  if (throttle) return throttle;
  // High enough for an operator's import, too low to guess a token of 48 characters.
  if (credential === 'admin') return { rate: 100, burst: 200 };
  // For people, who click.
  if (credential === 'portal') return { rate: 50, burst: 100 };
  // Anyone can use up these limits, so their sum leaves most of the account's limit to routes with a credential.
  return { rate: 200, burst: 400 };
}

/** The size of an endpoint's function. */
export function sizeOf({ size, credential, response, store }: Endpoint): FunctionSize {
  if (size) return size;
  if (credential === 'product' || credential === 'license') return 'fast';
  if (response instanceof z.ZodArray) return 'large';
  return credential === 'none' && Object.keys(store).length === 0 ? 'small' : 'standard';
}

/** `revokeLicense` → `revoke-license`: the name of the handler's file and of its bundle. */
export const fileName = (row: Pick<Endpoint, 'name'>): string => row.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
