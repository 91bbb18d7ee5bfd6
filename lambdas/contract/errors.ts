/**
 * All errors of requests, in the order in which they are checked. Each error has an HTTP status, a stable code for programs in the header
 * `X-Svc-Error-Code`, a default message, and its meaning for the documentation. (docs/spec/service.md, Errors)
 */
export const errors = {
  unauthorized: {
    status: 401,
    code: 'unauthorized',
    detail: 'Bad or missing credentials',
    meaning: 'the credential is missing or wrong; on client routes also: the product is unknown',
  },
  forbidden: {
    status: 403,
    code: 'forbidden',
    detail: 'The token does not permit this request',
    meaning: "the credential is valid, but the admin token or the product's portal does not permit this request",
  },
  invalid_request: {
    status: 422,
    code: 'invalid_request',
    detail: 'The request is not valid',
    meaning: 'the request has a missing or invalid field; `detail` names each field and its rule',
  },
  not_found: {
    status: 404,
    code: 'not_found',
    detail: 'Not found',
    meaning: 'no such product, license, license type, release, key or route',
  },
  license_revoked: {
    status: 403,
    code: 'license_revoked',
    detail: 'The license is revoked',
    meaning: 'the license is revoked, or its key was replaced by a new key',
  },
  license_suspended: {
    status: 403,
    code: 'license_suspended',
    detail: 'The license is suspended',
    meaning: 'the license is suspended until it is reinstated',
  },
  license_expired: {
    status: 403,
    code: 'license_expired',
    detail: 'The license is expired',
    meaning: 'the expiry of the license has passed',
  },
  not_activated: {
    status: 403,
    code: 'not_activated',
    detail: 'The device has no seat of this license',
    meaning: 'the device has no seat of the license, so it cannot consume',
  },
  unknown_meter: {
    status: 404,
    code: 'unknown_meter',
    detail: 'The license has no such meter',
    meaning: 'the license has no meter with this name',
  },
  meter_exhausted: {
    status: 429,
    code: 'meter_exhausted',
    detail: 'The amount does not fit into what the meter includes',
    meaning: 'the amount does not fit into what the license includes; nothing was consumed',
  },
  release_not_covered: {
    status: 403,
    code: 'release_not_covered',
    detail: 'The license does not cover this release',
    meaning: 'the release is newer than what the license covers',
  },
  sign_in_required: {
    status: 403,
    code: 'sign_in_required',
    detail: 'The user must sign in again on this device',
    meaning:
      'the device key no longer works, because its device was freed or signed in again; or only a sign-in can bind a device to this license',
  },
  no_seats: {
    status: 429,
    code: 'no_seats',
    detail: 'No seats are available on this license',
    meaning: 'every seat of the license is taken',
  },
  too_many_devices: {
    status: 429,
    code: 'too_many_devices',
    detail: 'Too many new devices were activated on this license within 7 days',
    meaning: 'more new devices within 7 days than `new_devices_per_week` of the license type allows',
  },
  too_many_user_devices: {
    status: 429,
    code: 'too_many_user_devices',
    detail: 'You already use the maximum number of devices of this license',
    meaning: 'the member already uses as many devices as `devices_per_user` of the license type allows',
  },
  too_many_frees: {
    status: 429,
    code: 'too_many_frees',
    detail: 'Too many devices of this license were freed within 30 days',
    meaning: "the buyer has already freed the maximum number of devices of the license within 30 days, which the product's portal sets",
  },
  duplicate: {
    status: 409,
    code: 'duplicate',
    detail: 'The name or slug is taken',
    meaning: 'the name or slug is taken; `detail` says which',
  },
  key_taken: {
    status: 409,
    code: 'duplicate',
    detail: 'The key is taken by another license of this product',
    meaning: 'another license of the product has this key',
  },
  version_taken: {
    status: 409,
    code: 'duplicate',
    detail: 'The version is taken by another release of this product',
    meaning: 'another release of the product has this version',
  },
  filename_taken: {
    status: 409,
    code: 'duplicate',
    detail: 'The filename is taken by another file of this release',
    meaning: 'another file of the release has this name',
  },
  next_key_exists: {
    status: 409,
    code: 'duplicate',
    detail: 'There is already a next signing key: activate or delete it first',
    meaning: 'the product already has a next signing key',
  },
  published: {
    status: 409,
    code: 'published',
    detail: 'The release is published, so this change is not possible',
    meaning: 'the release is published, so the requested change is no longer possible',
  },
  not_published: {
    status: 409,
    code: 'not_published',
    detail: 'The release is not published',
    meaning: 'the release is a draft',
  },
  idempotency_mismatch: {
    status: 409,
    code: 'idempotency_mismatch',
    detail: 'This Idempotency-Key was used with another request within the last 24 hours',
    meaning: 'the `Idempotency-Key` was already used with a different request',
  },
  not_issued: {
    status: 409,
    code: 'not_issued',
    detail: 'No license key can be shown for this sale',
    meaning: 'a shop asked for the keys of a sale as text, and there are none; the sale is in the payments log, which says why',
  },
  mail_not_configured: {
    status: 422,
    code: 'mail_not_configured',
    detail: 'Mail is not configured',
    meaning: 'the deployment sends no mail',
  },
  mail_failed: {
    status: 502,
    code: 'mail_failed',
    detail: 'The mail could not be sent',
    meaning: 'the mail could not be sent; `detail` says why',
  },
  rate_limited: { status: 429, code: 'rate_limited', detail: 'Too many requests', meaning: 'too many requests; try again later' },
  internal: { status: 500, code: 'internal', detail: 'Internal error', meaning: 'a fault of the service' },
  unavailable: {
    status: 503,
    code: 'internal',
    detail: 'The service is busy, try again',
    meaning: 'the service is busy; try again',
  },
  timeout: {
    status: 504,
    code: 'internal',
    detail: 'The request took too long, try again',
    meaning: 'the request took too long; try again',
  },
} as const satisfies Record<string, { status: number; code: string; detail: string; meaning: string }>;

export type ErrorName = keyof typeof errors;

/** A business error, which is returned as a value. `serve.ts` converts it to a response with `{detail}` and a status. */
export class Failure {
  constructor(
    readonly failure: ErrorName,
    readonly detail: string,
  ) {}
}

/** Creates a {@link Failure}. The default detail is the message of the error in {@link errors}. */
export const fail = (failure: ErrorName, detail: string = errors[failure].detail): Failure => new Failure(failure, detail);

/**
 * Whether a value is a {@link Failure}. Failures are instances of a class, so that they cannot be confused with data of the same shape that
 * a client sent.
 */
export const isFailure = (value: unknown): value is Failure => value instanceof Failure;
