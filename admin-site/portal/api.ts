import type { PortalFront, PortalLicenseView } from '../../lambdas/contract/portal';
import { tabStorage } from '../tab-storage';

/** Calls the portal's API, which has the same origin as the page. */

export type License = PortalLicenseView;

export type Front = PortalFront;

/** Whether a link of the vendor is set and safe to open. The service checks this as well, but the page does not rely on that. */
export const isSafe = (url: string | null): url is string => url !== null && /^(https|mailto):/i.test(url);

/** How long a request may take, in ms. */
const TIMEOUT_MS = 30_000;

/** The error of a failed request. */
export class Problem extends Error {
  /**
   * @param status the status of the response; 0 if there was no response
   * @param code the stable code of the error
   */
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

/** The product's slug, from the page's path `/portal/{slug}`. */
export const slug = location.pathname.split('/')[2] ?? '';

export interface Response<Body> {
  readonly body: Body;
  /** The path and query of the next page of a list. */
  readonly next: string | undefined;
}

/** @throws Problem */
export async function call<Body>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { session, body }: { readonly session?: string | undefined; readonly body?: object } = {},
): Promise<Response<Body>> {
  let response: globalThis.Response;
  let parsed: unknown;
  try {
    response = await fetch(path.startsWith('/v1/') ? path : `/v1/portal/${encodeURIComponent(slug)}${path}`, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(session !== undefined && { 'X-Portal-Session': session }),
      },
      ...(body && { body: JSON.stringify(body) }),
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    parsed = response.ok ? await response.json() : undefined;
  } catch {
    throw new Problem(0, 'offline');
  }
  if (!response.ok) throw new Problem(response.status, response.headers.get('X-Svc-Error-Code') ?? 'internal');
  const [, next] = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('Link') ?? '') ?? [];
  return { body: parsed as Body, next };
}

/** Reads a list page by page. @throws Problem */
export async function* pagesOf<Row>(list: string, session: string): AsyncGenerator<readonly Row[]> {
  for (let path: string | undefined = list; path !== undefined; ) {
    const { body, next }: Response<readonly Row[]> = await call('GET', path, { session });
    yield body;
    path = next;
  }
}

const KEY = `lks.portal.${slug}`;

/**
 * Stores the session in the tab's session storage, so the session ends when the tab is closed. If the browser blocks that storage, the
 * session ends when the page is loaded again.
 */
export const stored = {
  get: (): string | undefined => tabStorage.get(KEY),
  set: (session: string | undefined): void => tabStorage.set(KEY, session),
};
