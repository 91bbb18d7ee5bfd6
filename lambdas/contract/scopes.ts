/** The scopes of admin tokens (docs/spec/operator.md, Scopes), each with the other scopes that it includes. */
const included = {
  /** Every GET except those of releases, without the secrets of products and webhooks. */
  read: [],
  /** Also every write on licenses and license types. */
  licenses: ['read'],
  /** Releases and their files: for the build server of the vendor. It can also read products, without secrets. */
  releases: [],
  /** Everything except tokens and the audit log. */
  manage: ['read', 'licenses', 'releases'],
  /** Everything. */
  admin: ['read', 'licenses', 'releases', 'manage'],
} as const satisfies Record<string, readonly string[]>;

export type Scope = keyof typeof included;
export const scopes = Object.keys(included) as readonly Scope[] as readonly [Scope, ...Scope[]];

/** The scope that a row needs; of a list, any one is enough. */
export type NeededScope = Scope | readonly Scope[];

/** Whether one of the scopes of a token is a needed one, or includes it. */
export const permits = (held: readonly Scope[], needed: NeededScope): boolean =>
  held.some((scope) => [scope, ...included[scope]].some((name) => [needed].flat().includes(name)));
