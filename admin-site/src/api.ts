import { SKIP_WEBHOOK, WEBHOOK_HEADER } from '../../lambdas/contract/edge';
import { routeOf, type ListName, type Name, type RequestOf, type ResponseOf } from './routes';
import { currentToken } from './session';
import { t } from './texts';

/** The client of the API. */

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The admin token to use instead of the session's token. */
  readonly token?: string;
  /** The product's API key, for endpoints of client apps. */
  readonly apiKey?: string;
  /** A repeated request with the same key returns the first result. */
  readonly idempotencyKey?: string;
  /** Whether the events of the request are not posted to the product's webhook. */
  readonly skipsWebhook?: boolean;
}

/** A refusal by the service. `message` is the error text of the response. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

/** There was no response. */
export class Unreachable extends Error {
  constructor() {
    super(t('The service cannot be reached. Check that it is running and that you are online, then try again.'));
  }
}

/** The response did not come from the service, but from a proxy or from a sign-in page of the network. */
export class Unreadable extends Error {
  constructor() {
    super(t('The response did not come from the service. A proxy or a sign-in page of your network may have responded instead.'));
  }
}

interface AnyRequest {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

function address(path: string, { params = {}, query = {} }: AnyRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]));
  return given.length > 0 ? `${filled}?${new URLSearchParams(given).toString()}` : filled;
}

async function refusal(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const detail = typeof body === 'object' && body !== null && 'detail' in body && typeof body.detail === 'string' ? body.detail : undefined;
  return new ApiError(
    response.status,
    response.headers.get('X-Svc-Error-Code') ?? '',
    detail ?? t('The service responded with status {status}.', { status: String(response.status) }),
    response.headers.get('X-Request-Id'),
  );
}

/** A call as a curl command, for a colleague or a script. The command reads the token from the environment. */
export function asCurl<N extends Name>(name: N, request: RequestOf<N>): string {
  const [method, path] = routeOf(name);
  const { body, ...rest } = request as AnyRequest;
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl -sS -X ${method} ${quoted(`${window.location.origin}${address(path, rest)}`)}`,
    `-H "X-Svc-Admin-Token: $SVC_ADMIN_TOKEN"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

async function send(
  name: Name,
  request: AnyRequest,
  { signal, token, apiKey, idempotencyKey, skipsWebhook }: CallOptions,
): Promise<Response> {
  const [method, path] = routeOf(name);
  // While the operator signs in again, the hidden pages still reload their data. Their requests are not sent, because there is no token.
  if (apiKey === undefined && token === undefined && currentToken() === null)
    throw new ApiError(401, 'unauthorized', t('You are signed out. Sign in, then try again.'), null);
  const headers = new Headers();
  if (apiKey === undefined) headers.set('X-Svc-Admin-Token', token ?? currentToken() ?? '');
  else headers.set('X-API-Key', apiKey);
  if (request.body !== undefined) headers.set('Content-Type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
  if (skipsWebhook) headers.set(WEBHOOK_HEADER, SKIP_WEBHOOK);
  let response: Response;
  try {
    response = await fetch(address(path, request), {
      method,
      headers,
      signal: signal ?? null,
      credentials: 'omit',
      body: request.body === undefined ? null : JSON.stringify(request.body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable();
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

async function read<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Body;
  } catch {
    throw new Unreadable();
  }
}

/** Calls an endpoint by the name of its row in the contract table. */
export async function call<N extends Name>(name: N, request: RequestOf<N>, options: CallOptions = {}): Promise<ResponseOf<N>> {
  return read(await send(name, request as AnyRequest, options));
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next page, if there is one. */
  readonly next?: string;
  /** The number of entries left out of this page because the service can't read them. */
  readonly unreadable: number;
}

const cursorOf = (link: string | null): string | undefined => {
  const target = /<([^<>]+)>; rel="next"/.exec(link ?? '')?.[1];
  return target === undefined ? undefined : (new URL(target, window.location.origin).searchParams.get('cursor') ?? undefined);
};

const unreadableOf = (response: Response): number => Number(response.headers.get('X-Svc-Unreadable') ?? 0);

/** A row of a list. */
export type RowOf<N extends ListName> = ResponseOf<N> extends readonly (infer Row)[] ? Row : never;

/** Reads one page of a list. */
export async function callList<N extends ListName>(name: N, request: RequestOf<N>, options: CallOptions = {}): Promise<Page<RowOf<N>>> {
  const response = await send(name, request as AnyRequest, options);
  const next = cursorOf(response.headers.get('Link'));
  return { rows: await read<RowOf<N>[]>(response), unreadable: unreadableOf(response), ...(next !== undefined && { next }) };
}

/** Reads a list page by page, until all rows or at least `enough` rows are read. */
export async function callEvery<N extends ListName>(
  name: N,
  request: RequestOf<N>,
  options: CallOptions = {},
  enough = Infinity,
): Promise<RowOf<N>[]> {
  const rows: RowOf<N>[] = [];
  let cursor: string | undefined;
  do {
    const given = request as AnyRequest;
    const page: Page<RowOf<N>> = await callList(
      name,
      (cursor === undefined ? given : { ...given, query: { ...given.query, cursor } }) as RequestOf<N>,
      options,
    );
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor !== undefined && rows.length < enough);
  return rows;
}

/** A new `Idempotency-Key`. It avoids `randomUUID`, which browsers disable for pages over plain HTTP. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

export type Product = ResponseOf<'getProduct'>;
export type LicenseType = ResponseOf<'createLicenseType'>;
export type License = ResponseOf<'getLicense'>;
export type Device = License['activations'][number];
export type Member = RowOf<'listMembers'>;
export type PaymentConnection = ResponseOf<'getPaymentConnection'>;
export type Payment = ResponseOf<'getPayment'>;
export type Order = RowOf<'listOrders'>;
export type Delivery = ResponseOf<'getDelivery'>;
export type Meter = RowOf<'listLicenseMeters'>;
export type Note = ResponseOf<'createNote'>;
export type Refusal = ResponseOf<'listLicenseRefusals'>[number];
export type Release = ResponseOf<'getRelease'>;
export type Artifact = Release['artifacts'][number];
export type Overview = ResponseOf<'getOverview'>;
export type AuditEntry = ResponseOf<'listAudit'>[number];
export type AdminToken = ResponseOf<'listTokens'>[number];
export type ListedProduct = RowOf<'listProducts'>;
