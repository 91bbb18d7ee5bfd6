import * as z from 'zod';
import type { FunctionAccess } from './access';
import type { ErrorName } from './errors';
import type { EventName } from './events';
import { permits, scopes, type NeededScope } from './scopes';

/**
 * Who may call: anyone (`none`), the operator (`X-Svc-Admin-Token`), a client app (`X-API-Key`), or a payment
 * processor, by the address and a signature over the bytes (docs/spec/payments.md, Receiving).
 */
export type Credential = 'none' | 'admin' | 'product' | 'signature';

/** The request header that carries each credential, lower-case. */
export const credentialHeaders = { admin: 'x-svc-admin-token', product: 'x-api-key' } as const;

/** Requests per second, and the size of a burst, that a route accepts from all callers together. */
export interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

/**
 * How much memory (and with it processor time) and how much time a function gets:
 * `small` touches no data; `standard` serves an operator; `fast` is what client apps wait for when they start;
 * `large` holds a list of up to 5 MB.
 */
export type FunctionSize = 'small' | 'standard' | 'fast' | 'large';

/**
 * What an admin request is about. It decides what a token that is bound to one product may call, and which
 * product and license the audit log names:
 *
 * - `product`, `license`, `license_type`, `release`, `delivery`: the one that the path names; 404 for a token of another product
 * - `products`: several; a bound token sees its own only
 * - `deployment`: no product; 403 for a bound token
 * - `caller`: the token of the request itself; any may ask
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
  /** What it holds, for the documentation. */
  readonly description: string;
  readonly value: (row: Row) => string | number | null;
}

/** Who may call: an admin row names the scope that its caller needs and what the request is about. */
type Authorization =
  | { readonly credential: 'admin'; readonly scope: NeededScope; readonly subject: Subject }
  | { readonly credential: 'none' | 'product' | 'signature'; readonly scope?: undefined; readonly subject?: undefined };

/** One row of the contract table: all that the rest of the system derives an endpoint from. */
export type Endpoint = Operation & Authorization;

interface Operation extends FunctionAccess {
  /** The operation's name; its handler is `lambdas/api/<name in kebab-case>.ts`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path with `{parameters}`, each of which `params` describes. */
  readonly path: string;
  readonly tag:
    | 'Service'
    | 'Products'
    | 'License types'
    | 'Releases'
    | 'Licenses'
    | 'Activation'
    | 'Webhooks'
    | 'Mail'
    | 'Payments'
    | 'Customers'
    | 'Audit log'
    | 'Admin tokens';
  readonly summary: string;
  readonly description: string;
  /** Path parameters. A value that doesn't fit names nothing: 404. */
  readonly params?: z.ZodType<Record<string, unknown>>;
  /** Query parameters. A value that doesn't fit: 422. */
  readonly query?: z.ZodType<Record<string, unknown>>;
  /** The JSON object in the body. A value that doesn't fit: 422. */
  readonly body?: z.ZodType<Record<string, unknown>>;
  /** True if the body may be left out; an absent body is read as `{}`. */
  readonly bodyOptional?: boolean;
  /** True if an `Idempotency-Key` header is honoured. */
  readonly idempotent?: boolean;
  readonly status: 200 | 201 | 202;
  /** The status of a success that did nothing new, when it differs. */
  readonly repeatedStatus?: 200;
  /** The response's schema; fields that it doesn't name are stripped before sending. */
  readonly response: z.ZodType;
  /**
   * The columns of a list that is given as CSV or newline-delimited JSON as well, when `Accept` asks for it. A list
   * without columns is JSON only.
   */
  readonly columns?: readonly Column<never>[];
  /** Business errors beyond those that every row of its kind has (see {@link possibleErrors}). */
  readonly errors: readonly ErrorName[];
  /** Events it can record. A row that names any may send to the event queue. */
  readonly emits?: readonly EventName[];
  /** How long anyone may keep the response, which is then the same for every caller. Left out: nobody may keep it. */
  readonly maxAgeSeconds?: number;
  /** The route's limit; see {@link throttleOf} for the default. */
  readonly throttle?: Throttle;
  /** The function's size; see {@link sizeOf} for the default. */
  readonly size?: FunctionSize;
  readonly examples: { readonly request?: Record<string, unknown>; readonly response: unknown };
}

/** Types a row precisely while it is written, so that its handler sees the exact schemas. */
export const endpoint = <const E extends Endpoint>(row: E): E => row;

/** What the response of a list may be besides JSON. */
export const listMediaTypes = ['text/csv', 'application/x-ndjson'] as const;
export type ListMediaType = (typeof listMediaTypes)[number];

/** Whether requests carry a JSON object. */
export const takesBody = ({ method }: Pick<Endpoint, 'method'>): boolean => method === 'POST' || method === 'PATCH';

/** Every error an endpoint can respond with: its own, and those that follow from its shape. */
export const possibleErrors = (row: Endpoint): readonly ErrorName[] => {
  const all = new Set<ErrorName>(row.errors);
  if (row.credential !== 'none') all.add('unauthorized');
  // What every scope permits is forbidden to nobody, except what belongs to no product.
  if (row.credential === 'admin' && (row.subject === 'deployment' || !scopes.every((scope) => permits([scope], row.scope))))
    all.add('forbidden');
  if (row.query || takesBody(row)) all.add('invalid_request');
  if (row.params && row.credential !== 'product' && row.credential !== 'signature') all.add('not_found');
  if (row.idempotent) all.add('idempotency_mismatch').add('invalid_request');
  for (const name of ['rate_limited', 'internal', 'unavailable', 'timeout'] as const) all.add(name);
  return [...all];
};

/**
 * Whether a request leaves an entry in the audit log if it is carried out: every write of an operator does. (docs/spec/operator.md, Audit
 * log)
 */
export const isAudited = ({ credential, method }: Pick<Endpoint, 'credential' | 'method'>): boolean =>
  credential === 'admin' && method !== 'GET';

/** Whether an endpoint may send to the event queue. */
export const usesQueue = ({ queue, emits = [] }: Pick<Endpoint, 'queue' | 'emits'>): boolean => queue ?? emits.length > 0;

/** The limit of a route. It counts all callers together; limits for each address are the firewall's. */
export function throttleOf({ throttle, credential }: Endpoint): Throttle {
  if (throttle) return throttle;
  // Enough for an operator's import, too few to guess a token of 48 characters.
  if (credential === 'admin') return { rate: 100, burst: 200 };
  // Anyone can use these up, so together they leave most of the account's limit to routes with a credential.
  return { rate: 200, burst: 400 };
}

/** The size of an endpoint's function. */
export function sizeOf({ size, credential, response, store }: Endpoint): FunctionSize {
  if (size) return size;
  if (credential === 'product') return 'fast';
  if (response instanceof z.ZodArray) return 'large';
  return credential === 'none' && Object.keys(store).length === 0 ? 'small' : 'standard';
}

/** `revokeLicense` → `revoke-license`: the name of the handler's file and of the bundle. */
export const fileName = (row: Pick<Endpoint, 'name'>): string => row.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
