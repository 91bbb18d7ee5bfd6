import type { Scope } from '../contract/scopes';

/** Who makes an admin request: the holder of the deployment's own token, or of an admin token that this service created. */
export interface Actor {
  /** `deployment`, or the token's id in decimal digits. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only product that the actor can see and change; null if there is no such restriction. */
  readonly product_id: number | null;
}

/** The holder of the deployment's admin token. It may do everything and cannot be revoked through the API. */
export const deployment: Actor = { id: 'deployment', name: 'deployment', scopes: ['admin'], product_id: null };
