import type { Scope } from '../contract/scopes';

/** Who makes an admin request: the holder of the deployment's own token, or of a token that was made here. */
export interface Actor {
  /** `deployment`, or the token's id in decimal digits. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only product that the actor sees and changes; null if it is any. */
  readonly product_id: number | null;
}

/** The holder of the deployment's admin token: may do everything, and can't be revoked here. */
export const deployment: Actor = { id: 'deployment', name: 'deployment', scopes: ['admin'], product_id: null };
