import type { Scope } from '../contract/scopes';
import type { AdminTokenView } from '../contract/tokens';
import type { Actor } from './actor';
import { timestampOf, timestampOrNull } from './time';

/** An admin token that this service created. A token never changes, but can be revoked. */
export interface AdminToken {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only product that the token gives access to; null if it gives access to all products. */
  readonly product_id: number | null;
  /** A renewal may set an expiry of at most this number of days from now; null if the scopes set no such limit. */
  readonly renewal_days: number | null;
  /** When the token expires, in epoch ms; null if the token never expires. */
  readonly expires_at: number | null;
  /** When the token was created, in epoch ms. */
  readonly created_at: number;
}

/** False if the token has expired. */
export const isValid = ({ expires_at }: AdminToken, now: number): boolean => expires_at === null || now < expires_at;

/** The actor of requests that contain the token. */
export const actorOf = ({ id, name, scopes, product_id, renewal_days }: AdminToken): Actor => ({
  id: String(id),
  name,
  scopes,
  product_id,
  renewal_days,
});

/** @param lastUsedOn the last day on which the token was used, such as `2026-11-20`; null if it was never used */
export const adminTokenView = (
  { id, name, scopes, product_id, renewal_days, expires_at, created_at }: AdminToken,
  lastUsedOn: string | null,
): AdminTokenView => ({
  id,
  name,
  scopes: [...scopes],
  product_id,
  renewal_days,
  expires_at: timestampOrNull(expires_at),
  created_at: timestampOf(created_at),
  last_used_on: lastUsedOn,
});
