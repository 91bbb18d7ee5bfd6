/**
 * Every way a request can fail: its HTTP status, the stable machine code that
 * `X-Svc-Error-Code` carries, and the sentence shown if nothing more precise is known.
 * (docs/spec/service.md, Errors)
 */
export const errors = {
  unauthorized: { status: 401, code: 'unauthorized', detail: 'Bad or missing credentials' },
  forbidden: { status: 403, code: 'forbidden', detail: 'The token may not do this' },
  invalid_request: { status: 422, code: 'invalid_request', detail: 'The request is not valid' },
  not_found: { status: 404, code: 'not_found', detail: 'Not found' },
  license_revoked: { status: 403, code: 'license_revoked', detail: 'The license is revoked' },
  license_expired: { status: 403, code: 'license_expired', detail: 'The license is expired' },
  license_suspended: { status: 403, code: 'license_suspended', detail: 'The license is suspended' },
  no_seats: { status: 429, code: 'no_seats', detail: 'No seats are available on this license' },
  too_many_devices: { status: 429, code: 'too_many_devices', detail: 'Too many new devices were activated on this license within 7 days' },
  duplicate: { status: 409, code: 'duplicate', detail: 'The name or slug is taken' },
  idempotency_mismatch: {
    status: 409,
    code: 'idempotency_mismatch',
    detail: 'This Idempotency-Key was used with another request within the last 24 hours',
  },
  mail_not_configured: { status: 422, code: 'mail_not_configured', detail: 'Mail is not configured' },
  mail_failed: { status: 502, code: 'mail_failed', detail: 'The mail could not be sent' },
  rate_limited: { status: 429, code: 'rate_limited', detail: 'Too many requests' },
  internal: { status: 500, code: 'internal', detail: 'Internal error' },
  unavailable: { status: 503, code: 'internal', detail: 'The service is busy, try again' },
  timeout: { status: 504, code: 'internal', detail: 'The request took too long, try again' },
} as const satisfies Record<string, { status: number; code: string; detail: string }>;

export type ErrorName = keyof typeof errors;

/** A business refusal, passed as a value; the pipeline turns it into `{detail}` and a status. */
export class Failure {
  constructor(
    readonly failure: ErrorName,
    readonly detail: string,
  ) {}
}

/** Makes a {@link Failure}; the detail defaults to the error's own sentence. */
export const fail = (failure: ErrorName, detail: string = errors[failure].detail): Failure => new Failure(failure, detail);

/** A class, so that a refusal can't be confused with data: what a client sends can look like anything. */
export const isFailure = (value: unknown): value is Failure => value instanceof Failure;
