/**
 * What an admin token may do (docs/spec/operator.md, Scopes). Each scope includes the ones before it:
 *
 * - `read`: every GET, without the secrets of products and webhooks
 * - `licenses`: also every write on licenses and license types
 * - `manage`: everything except tokens and the audit log
 * - `admin`: everything
 */
export const scopes = ['read', 'licenses', 'manage', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** True if any of the scopes held includes the one that is needed. */
export const permits = (held: readonly Scope[], needed: Scope): boolean =>
  held.some((scope) => scopes.indexOf(scope) >= scopes.indexOf(needed));
