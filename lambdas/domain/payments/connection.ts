import * as z from 'zod/mini';
import { processors } from '../../contract/processors';
import { timestampOf, timestampOrNull } from '../time';
import { flag, list, number, orNull, string, type Stored } from '../stored';

/** The license type that is issued for a product or price of the processor. */
const planSchema = z.object({
  /** The processor's id of the product or price. */
  ref: string,
  license_type_id: number,
  /** What is issued for a quantity of n. `licenses`: n licenses; `seats`: one license with n times the type's seats; `one`: one license. */
  quantity: z.enum(['licenses', 'seats', 'one']),
  /** Whether a paid period extends the license, or only its updates. */
  extends: z._default(z.enum(['license', 'updates']), 'license'),
  /**
   * If at least this number of consecutive months was paid, the license stays valid when its subscription ends. Null: the license expires.
   */
  fallback_months: orNull(number),
});
export interface Plan extends Stored<typeof planSchema> {}

/** An account at a payment processor that sells a product (docs/spec/payments.md, Payment connections). Times are epoch ms. */
export const connectionSchema = z.object({
  id: number,
  product_id: number,
  processor: z.enum(processors),
  mode: z.enum(['live', 'test']),
  name: string,
  enabled: flag,
  /** The encrypted signing secrets, newest first; empty if the connection has none. An older secret is valid until its time `until`. */
  signing_secrets: list(z.object({ sealed: string, until: orNull(number) })),
  api_key: orNull(string),
  plans: list(planSchema),
  default_license_type_id: orNull(number),
  grace_days: number,
  on_payment_failed: z.enum(['nothing', 'suspend']),
  on_dispute: z.enum(['nothing', 'suspend', 'revoke']),
  on_partial_refund: z.enum(['nothing', 'revoke']),
  /** The token in the connection's URL, encrypted. Rows are found by the hash of the token. */
  token: string,
  last_received_at: orNull(number),
  last_reconciled_at: orNull(number),
  /** Notifications with a wrong signature since the last valid one. At most one is counted each minute. */
  rejected_count: z._default(number, 0),
  rejected_at: orNull(number),
  created_at: number,
  updated_at: number,
});
export interface Connection extends Stored<typeof connectionSchema> {}

/** A connection as responses show it to the operator. The operator enters `url` at the processor. */
export const connectionView = (connection: Connection, url: string) => ({
  id: connection.id,
  product_id: connection.product_id,
  processor: connection.processor,
  mode: connection.mode,
  name: connection.name,
  enabled: connection.enabled,
  url,
  signing_secret_set: connection.signing_secrets.length > 0,
  api_key_set: connection.api_key !== null,
  plans: [...connection.plans],
  default_license_type_id: connection.default_license_type_id,
  grace_days: connection.grace_days,
  on_payment_failed: connection.on_payment_failed,
  on_dispute: connection.on_dispute,
  on_partial_refund: connection.on_partial_refund,
  last_received_at: timestampOrNull(connection.last_received_at),
  last_reconciled_at: timestampOrNull(connection.last_reconciled_at),
  rejected: { count: connection.rejected_count, last_at: timestampOrNull(connection.rejected_at) },
  created_at: timestampOf(connection.created_at),
  updated_at: timestampOf(connection.updated_at),
});
