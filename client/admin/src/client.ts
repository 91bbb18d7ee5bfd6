import { randomUUID } from 'node:crypto';
import createClient, { type Client, type FetchOptions } from 'openapi-fetch';
import type { paths } from './generated/openapi';
import { keyed, repeatable } from './generated/retries';
import { dataOf } from './result';
import { retrying } from './retry';

export interface AdminClientOptions {
  /** The URL of the service, such as `https://licenses.example.com`. */
  readonly baseUrl: string;
  /** The deployment's admin token, or an admin token with the scopes that the requests need. */
  readonly token: string;
  /** The function that sends one attempt of a request; default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** How long one attempt may take, in milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  /**
   * How long the client repeats failed attempts of a request, in milliseconds from the start of the request; default 60,000. With 0, the
   * client repeats no attempt.
   */
  readonly retryForMs?: number;
}

interface ListResponse<Row> {
  readonly get: { readonly responses: { readonly 200: { readonly content: { readonly 'application/json': readonly Row[] } } } };
}

/** The paths whose GET returns a list. */
export type ListPath = { [Path in keyof paths]: paths[Path] extends ListResponse<unknown> ? Path : never }[keyof paths];

/** A row of a list. */
type Row<Path extends ListPath> = paths[Path] extends ListResponse<infer Each> ? Each : never;

/** One page of a list. */
export interface Page<Data> {
  readonly data: Data;
  readonly response: Response;
}

type ListOptions<Path extends ListPath> = FetchOptions<paths[Path]['get']>;

export interface AdminClient extends Client<paths> {
  /**
   * The rows of a list, page by page. Each page is requested only when its rows are read.
   *
   * @throws AdminApiError if the service refuses a page
   */
  rows<Path extends ListPath>(path: Path, options?: ListOptions<Path>): AsyncGenerator<Row<Path>, void>;
  /**
   * The pages of a list, for callers who also need the response. With `parseAs: 'text'`, the `data` of a page is the text of the response.
   *
   * @throws AdminApiError if the service refuses a page
   */
  pages<Path extends ListPath>(path: Path, options: ListOptions<Path> & { parseAs: 'text' }): AsyncGenerator<Page<string>, void>;
  pages<Path extends ListPath>(path: Path, options?: ListOptions<Path>): AsyncGenerator<Page<readonly Row<Path>[]>, void>;
}

const KEY_HEADER = 'Idempotency-Key';

/** The cursor of the next page, from a response that contains a page of a list; undefined after the last page. */
export function nextCursor({ headers }: Response): string | undefined {
  const next = /<([^<>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return next === undefined ? undefined : (new URL(next, 'http://localhost').searchParams.get('cursor') ?? undefined);
}

/** The only options that {@link AdminClient.pages} changes from page to page. */
interface AnyListOptions {
  readonly params?: { readonly query?: Readonly<Record<string, unknown>> };
}

/**
 * A client of the admin API: `client.GET('/v1/licenses/{id}', { params: { path: { id: 17 } } })` resolves to `{ data, response }`, or to `{
 * error, response }` if the service refuses the request. Requests that fail temporarily are sent again, with the `Idempotency-Key` of the
 * first attempt. After a fault of the service or the network, a POST is sent again only if the service's contract allows a repetition.
 */
export function createAdminClient({
  baseUrl,
  token,
  fetch: send = fetch,
  timeoutMs = 30_000,
  retryForMs = 60_000,
}: AdminClientOptions): AdminClient {
  const repeatableRequests = new WeakSet<Request>();
  const client = createClient<paths>({
    baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''),
    headers: { 'X-Svc-Admin-Token': token },
    // Following a redirect would send the admin token to another server.
    redirect: 'manual',
    fetch: retrying({
      fetch: (request) => send(request),
      timeoutMs,
      retryForMs,
      isRepeatable: (request) => request.method !== 'POST' || repeatableRequests.has(request),
    }),
  });
  client.use({
    onRequest: ({ request, schemaPath, params: { path = {} } }) => {
      // With an empty value, the request would reach another route. The same is true for `.` and `..`, because URL parsing removes them.
      for (const [name, value] of Object.entries(path))
        if (/^\.{0,2}$/.test(String(value))) throw new TypeError(`The path parameter ${name} must not be "${String(value)}"`);
      const operation = `${request.method} ${schemaPath}`;
      const hasKey = keyed.includes(operation);
      if (hasKey && !request.headers.has(KEY_HEADER)) request.headers.set(KEY_HEADER, randomUUID());
      if (hasKey || repeatable.includes(operation)) repeatableRequests.add(request);
    },
  });

  // The types of `pages` and `rows` check the parameters, which are different for each list. The code below only sets the cursor.
  const getPage = client.GET as (
    path: ListPath,
    options: AnyListOptions,
  ) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
  async function* pages(path: ListPath, options: AnyListOptions = {}): AsyncGenerator<Page<unknown>, void> {
    for (let query = options.params?.query; ; ) {
      const result = await getPage(path, { ...options, params: { ...options.params, ...(query && { query }) } });
      yield { data: dataOf(result), response: result.response };
      const cursor = nextCursor(result.response);
      if (cursor === undefined) return;
      query = { ...query, cursor };
    }
  }
  async function* rows(path: ListPath, options?: AnyListOptions): AsyncGenerator<unknown, void> {
    for await (const { data } of pages(path, options)) yield* data as readonly unknown[];
  }
  return Object.assign(client, { pages, rows } as Pick<AdminClient, 'pages' | 'rows'>);
}
