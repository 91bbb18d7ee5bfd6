import type { Scope } from '../contract/scopes';

/**
 * The sender of an admin request: a person or program with the deployment's admin token, or with an admin token that this service created.
 */
export interface Actor {
  /** The id of the actor: `deployment`, or the token's id in decimal digits. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only product that the actor can see and change; null if the actor can see all products. */
  readonly product_id: number | null;
  /** A renewal by the actor may set an expiry of at most this number of days from now; null: no such limit. */
  readonly renewal_days: number | null;
}

/** The actor with the deployment's admin token. This actor may do everything, and the token cannot be revoked through the API. */
export const deployment: Actor = { id: 'deployment', name: 'deployment', scopes: ['admin'], product_id: null, renewal_days: null };
