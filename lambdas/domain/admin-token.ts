import type { Scope } from '../contract/scopes';
import type { AdminTokenView } from '../contract/tokens';
import type { Actor } from './actor';
import { timestampOf, timestampOrNull } from './time';

/** An admin token that was made here. It never changes; it can be revoked. */
export interface AdminToken {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only product that its holder sees and changes; null if it is any. */
  readonly product_id: number | null;
  /** Epoch ms; null if it never expires. */
  readonly expires_at: number | null;
  /** Epoch ms. */
  readonly created_at: number;
}

/** False from the moment of its expiry on. */
export const isValid = ({ expires_at }: AdminToken, now: number): boolean => expires_at === null || now < expires_at;

/** Who acts when the token is presented. */
export const actorOf = ({ id, name, scopes, product_id }: AdminToken): Actor => ({ id: String(id), name, scopes, product_id });

/** @param lastUsedOn the last day on which it was used, `2026-11-20`; null if it never was */
export const adminTokenView = (
  { id, name, scopes, product_id, expires_at, created_at }: AdminToken,
  lastUsedOn: string | null,
): AdminTokenView => ({
  id,
  name,
  scopes: [...scopes],
  product_id,
  expires_at: timestampOrNull(expires_at),
  created_at: timestampOf(created_at),
  last_used_on: lastUsedOn,
});
