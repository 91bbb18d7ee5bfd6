/** The service, or a server in front of it, refused a request. The message is the error text or the status of the response. */
export class AdminApiError extends Error {
  override readonly name = 'AdminApiError';
  readonly status: number;
  /** The stable code of the error; undefined if the response did not come from the service. */
  readonly code: string | undefined;
  /** The id of the request in the service's logs. */
  readonly requestId: string | undefined;

  /** @param body the parsed body of the response, or its text */
  constructor({ status, headers }: Response, body: unknown) {
    const { detail } = (typeof body === 'object' && body !== null ? body : {}) as { readonly detail?: unknown };
    super(typeof detail === 'string' ? detail : `status ${status}`);
    this.status = status;
    this.code = headers.get('x-svc-error-code') ?? undefined;
    this.requestId = headers.get('x-request-id') ?? undefined;
  }
}

/** What a request of the client returns. */
interface Result<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The data of a response, for callers who prefer exceptions to results.
 *
 * @throws AdminApiError if the request was refused
 */
export function dataOf<Data>({ data, error, response }: Result<Data>): Data {
  if (!response.ok) throw new AdminApiError(response, error);
  return data as Data;
}
