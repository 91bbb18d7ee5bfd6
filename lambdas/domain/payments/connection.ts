import type { Processor } from '../../contract/processors';
import { timestampOf, timestampOrNull } from '../time';

/** An account at a payment processor that sells a product (docs/spec/payments.md, Payment connections). Times are epoch ms. */
export interface Connection {
  readonly id: number;
  readonly product_id: number;
  readonly processor: Processor;
  readonly mode: 'live' | 'test';
  readonly name: string;
  readonly enabled: boolean;
  /** The encrypted signing secrets, newest first; empty if the connection has none. An older secret is valid until its time `until`. */
  readonly signing_secrets: readonly { readonly sealed: string; readonly until: number | null }[];
  readonly api_key: string | null;
  readonly plans: readonly Plan[];
  readonly default_license_type_id: number | null;
  readonly grace_days: number;
  readonly on_payment_failed: 'nothing' | 'suspend';
  readonly on_dispute: 'nothing' | 'suspend' | 'revoke';
  readonly on_partial_refund: 'nothing' | 'revoke';
  /** The token in the connection's URL, encrypted. Rows are found by the hash of the token. */
  readonly token: string;
  readonly last_received_at: number | null;
  readonly last_reconciled_at: number | null;
  /** Notifications with a wrong signature since the last valid one. At most one is counted each minute. */
  readonly rejected_count: number;
  readonly rejected_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The license type that is issued for a product or price of the processor. */
export interface Plan {
  /** The processor's id of the product or price. */
  readonly ref: string;
  readonly license_type_id: number;
  /** What is issued for a quantity of n. `licenses`: n licenses; `seats`: one license with n times the type's seats; `one`: one license. */
  readonly quantity: 'licenses' | 'seats' | 'one';
  /** Whether a paid period extends the license, or only its updates. */
  readonly extends: 'license' | 'updates';
  /**
   * If at least this number of consecutive months was paid, the license stays valid when its subscription ends. Null: the license expires.
   */
  readonly fallback_months: number | null;
}

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
