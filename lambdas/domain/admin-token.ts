import * as z from 'zod/mini';
import { scopes } from '../contract/scopes';
import type { AdminTokenView } from '../contract/tokens';
import type { Actor } from './actor';
import { known, number, orNull, string, type Stored } from './stored';
import { timestampOf, timestampOrNull } from './time';

/** An admin token that this service created. A token never changes, but can be revoked. */
export const adminTokenSchema = z.object({
  id: number,
  name: string,
  /** Scopes that only a newer version knows permit nothing. */
  scopes: known(scopes),
  /** The only product that the token gives access to; null if it gives access to all products. */
  product_id: orNull(number),
  /** A renewal may set an expiry of at most this number of days from now; null if the scopes set no such limit. */
  renewal_days: orNull(number),
  /** When the token expires, in epoch ms; null if the token never expires. */
  expires_at: orNull(number),
  /** When the token was created, in epoch ms. */
  created_at: number,
});
export interface AdminToken extends Stored<typeof adminTokenSchema> {}

/** A token in the operator's list of tokens. */
export const listedAdminTokenSchema = z.extend(adminTokenSchema, {
  /** The last day on which the token was used, such as `2026-11-20`; null if it was never used. */
  last_used_on: orNull(string),
});
export interface ListedAdminToken extends Stored<typeof listedAdminTokenSchema> {}

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

export const adminTokenView = ({ scopes, expires_at, created_at, ...token }: ListedAdminToken): AdminTokenView => ({
  ...token,
  scopes: [...scopes],
  expires_at: timestampOrNull(expires_at),
  created_at: timestampOf(created_at),
});
