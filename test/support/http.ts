import { randomBytes } from 'node:crypto';
import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { ClientLicenseView, DeviceView, LicenseTypeView, LicenseView, ProductView, SeatsView } from '../../lambdas/contract/resources';

/** An HTTP client of the local stack that sends exactly the given bytes, even if they are malformed. */

function fromStack(name: 'LKS_BASE_URL' | 'LKS_ADMIN_TOKEN' | 'LKS_MAILBOX_URL'): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: jest's global setup starts the stack`);
  return value;
}

let service: string | undefined;
let clock = Date.now;
/** Sends all later requests of a test file to the service at `url`. With `undefined`, requests go to the stack of the test run again. */
export function requestsGoTo(url: string | undefined, now = Date.now): void {
  service = url;
  clock = now;
}
/** The current time of the service to which the requests go, in epoch ms. */
export const serviceNow = (): number => clock();

export const stackUrl = (): string => fromStack('LKS_BASE_URL');
export const baseUrl = (): string => service ?? stackUrl();
/** The URL that opens the stack's mailbox in a browser. */
export const mailboxUrl = (): string => fromStack('LKS_MAILBOX_URL');
export const adminToken = (): string => fromStack('LKS_ADMIN_TOKEN');

export interface Answer<Body> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined if it is empty or not JSON. */
  readonly body: Body;
}
/** The fields of a response body, for tests that need only some of them. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Sending {
  readonly method?: string;
  /** Headers of the request; a header with an array is sent repeatedly. */
  readonly headers?: OutgoingHttpHeaders;
  /** The body of the request. Text and bytes are sent unchanged; other values are sent as JSON with the content type of JSON. */
  readonly body?: unknown;
  readonly baseUrl?: string;
  /** Whether the request uses a new connection. */
  readonly alone?: boolean;
}

/**
 * The client closes idle connections after 30 s, which is before the gateway closes them (after 65 s). Otherwise a request could use a
 * connection that the gateway is closing.
 */
const agent = new Agent({ keepAlive: true, maxSockets: 200, timeout: 30_000 });

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Sends a request. Its path is sent unchanged, without normalization or encoding. */
export function send<Body = Fields>(
  path: string,
  { method = 'GET', headers = {}, body, baseUrl: base = baseUrl(), alone = false }: Sending = {},
): Promise<Answer<Body>> {
  const { hostname, port } = new URL(base);
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = body === undefined ? undefined : isRaw ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path,
        method,
        agent: alone ? false : agent,
        headers: {
          ...(bytes && { 'Content-Length': bytes.length }),
          ...(bytes && !isRaw && { 'Content-Type': 'application/json' }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) as Body });
        });
      },
    );
    sent.on('error', reject);
    sent.end(bytes);
  });
}

export const get = <Body = Fields>(path: string, headers?: OutgoingHttpHeaders): Promise<Answer<Body>> =>
  send<Body>(path, { headers: { 'X-Svc-Admin-Token': adminToken(), ...headers } });

export const post = <Body = Fields>(path: string, body?: unknown, headers?: OutgoingHttpHeaders): Promise<Answer<Body>> =>
  send<Body>(path, { method: 'POST', body, headers: { 'X-Svc-Admin-Token': adminToken(), ...headers } });

export const patch = <Body = Fields>(path: string, body: unknown): Promise<Answer<Body>> =>
  send<Body>(path, { method: 'PATCH', body, headers: { 'X-Svc-Admin-Token': adminToken() } });

/** A name of lower-case letters and digits that no other test has used. */
export const unique = (prefix = 't'): string => `${prefix}-${randomBytes(8).toString('hex')}`;
/** A new fingerprint in the form that SDKs generate. */
export const newFingerprint = (): string => randomBytes(32).toString('hex');

function created<Body>({ status, text, body }: Answer<Body>): Body {
  if (status !== 201) throw new Error(`Expected 201, got ${status}: ${text}`);
  return body;
}

export async function newProduct(): Promise<ProductView> {
  const slug = unique('product');
  return created(await post<ProductView>('/v1/products', { name: `Product ${slug}`, slug }));
}

export const newType = async (product: ProductView, fields: object = {}): Promise<LicenseTypeView> =>
  created(await post<LicenseTypeView>(`/v1/products/${product.id}/license-types`, { name: unique('type'), kind: 'lifetime', ...fields }));

export const newLicense = async (type: LicenseTypeView, fields: object = {}): Promise<LicenseView> =>
  created(await post<LicenseView>(`/v1/products/${type.product_id}/licenses`, { license_type_id: type.id, ...fields }));

export const newAdminToken = async (fields: object): Promise<string> =>
  created(await post<{ token: string }>('/v1/tokens', { name: unique('token'), ...fields })).token;

export const getLicense = async (id: number): Promise<LicenseView> => (await get<LicenseView>(`/v1/licenses/${id}`)).body;

export interface Activation {
  readonly status: string;
  readonly license: ClientLicenseView;
  readonly device: DeviceView;
  readonly seats: SeatsView;
  readonly offline_token: string;
}
export interface Validation extends Partial<Omit<Activation, 'status'>> {
  readonly valid: boolean;
  readonly status: string;
}

/** The requests that a product's client app can send. */
export const app = ({ id, api_key }: Pick<ProductView, 'id' | 'api_key'>, headers: OutgoingHttpHeaders = {}) => {
  const credential = { 'X-API-Key': api_key, ...headers };
  const postTo = <Body>(operation: string, body: unknown) =>
    send<Body>(`/v1/products/${id}/${operation}`, { method: 'POST', body, headers: credential });
  return {
    activate: (key: string, fingerprint: string, labels: object = {}) => postTo<Activation>('activate', { key, fingerprint, ...labels }),
    deactivate: (key: string, fingerprint: string) => postTo<{ freed: boolean }>('deactivate', { key, fingerprint }),
    validate: (key: string, fingerprint: string) =>
      send<Validation>(`/v1/products/${id}/validate?${new URLSearchParams({ key, fingerprint }).toString()}`, { headers: credential }),
  };
};

export interface Shop {
  readonly product: ProductView;
  readonly type: LicenseTypeView;
  readonly license: LicenseView;
  readonly client: ReturnType<typeof app>;
}

/** Creates a product with one license type and one license. */
export async function newShop(type: object = {}, license: object = {}): Promise<Shop> {
  const product = await newProduct();
  const licenseType = await newType(product, type);
  return { product, type: licenseType, license: await newLicense(licenseType, license), client: app(product) };
}

/** All pages of a list, following `Link`. They are read from the shared stack, unless `read` reads them from another stack. */
export async function everyPage<Row>(path: string, read: (path: string) => Promise<Answer<Row[]>> = get<Row[]>): Promise<Row[][]> {
  const pages: Row[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: Answer<Row[]> = await read(next);
    if (page.status !== 200) throw new Error(`${next} answered ${page.status}: ${page.text}`);
    pages.push(page.body);
    next = nextPage(page);
  }
  return pages;
}

/** The path and query of the next page, from the header `Link`. */
export function nextPage({ headers }: Answer<unknown>): string | undefined {
  const link = [headers['link'] ?? []].flat().join();
  return link === '' ? undefined : (/^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? link);
}

const errorCodes: Readonly<Record<string, number>> = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  license_revoked: 403,
  license_expired: 403,
  license_suspended: 403,
  no_seats: 429,
  too_many_devices: 429,
  duplicate: 409,
  invalid_request: 422,
  idempotency_mismatch: 409,
};

/** Expects an error response in the format on which callers may rely: status, code, body and headers. */
export function expectError(answer: Answer<unknown>, code: keyof typeof errorCodes, detail?: RegExp): void {
  const { status, headers, text } = answer;
  expect({ status, code: headers['x-svc-error-code'], text }).toEqual({ status: errorCodes[code], code, text });
  const body = parse(text) as { detail: string };
  expect(Object.keys(body)).toEqual(['detail']);
  expect(typeof body.detail).toBe('string');
  expect(body.detail).toMatch(detail ?? /\S/);
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(headers['x-request-id']).toMatch(/\S/);
  expect(headers['cache-control']).toBe('no-store');
  // Only throttled requests may be repeated. A proxy or client would repeat a response with this header.
  if (code !== 'rate_limited') expect(headers).not.toHaveProperty('retry-after');
}
