/** What an admin token may do (docs/spec/operator.md, Scopes), by the scopes that each includes besides itself. */
const included = {
  /** Every GET except those of releases, without the secrets of products and webhooks. */
  read: [],
  /** Also every write on licenses and license types. */
  licenses: ['read'],
  /** Releases and their files: for the machine that builds them. Of everything else it reads products, without secrets. */
  releases: [],
  /** Everything except tokens and the audit log. */
  manage: ['read', 'licenses', 'releases'],
  /** Everything. */
  admin: ['read', 'licenses', 'releases', 'manage'],
} as const satisfies Record<string, readonly string[]>;

export type Scope = keyof typeof included;
export const scopes = Object.keys(included) as readonly Scope[] as readonly [Scope, ...Scope[]];

/** What a row needs: this scope, or any of these. */
export type NeededScope = Scope | readonly Scope[];

/** True if any of the scopes held is one that is needed, or includes it. */
export const permits = (held: readonly Scope[], needed: NeededScope): boolean =>
  held.some((scope) => [scope, ...included[scope]].some((name) => [needed].flat().includes(name)));
