/* Generated from the OpenAPI document by `npm run generate --workspace client/admin`. Do not edit. */

/** Requests that the service carries out once for each `Idempotency-Key`. */
export const keyed: readonly string[] = ["POST /v1/products","POST /v1/products/{id}/api-key/rotate","POST /v1/products/{id}/webhook/rotate","POST /v1/products/{id}/license-types","PATCH /v1/licenses/{id}","POST /v1/licenses/{id}/notes","POST /v1/licenses/{id}/reissue","POST /v1/licenses/{id}/renew","POST /v1/licenses/{id}/renew-updates","POST /v1/products/{id}/licenses","POST /v1/products/{id}/releases","POST /v1/products/{id}/payment-connections"];

/** POSTs without such a key that change nothing more when they are repeated. */
export const repeatable: readonly string[] = ["POST /v1/products/{id}/signing-keys/{kid}/activate","POST /v1/licenses/{id}/offline","POST /v1/licenses/{id}/reinstate","POST /v1/licenses/{id}/reset","POST /v1/licenses/{id}/revoke","POST /v1/licenses/{id}/suspend","POST /v1/products/{id}/downloads","POST /v1/releases/{id}/publish","POST /v1/releases/{id}/unyank","POST /v1/releases/{id}/yank","POST /v1/products/{id}/webhook","POST /v1/payment-connections/{id}/reconcile","POST /v1/payments/{payment}/process","POST /v1/products/{id}/payments/process","POST /v1/products/{id}/mail","POST /v1/customers/erase","POST /v1/customers/export","POST /v1/products/{id}/portal"];
