/** The scopes of admin tokens (docs/spec/operator.md, Scopes), each with the other scopes that it includes. */
const included = {
  /** Allows every GET request, except those for the list of tokens and the audit log. Responses contain no secrets. */
  read: [],
  /**
   * Allows everything that `read` allows, and what a support desk needs: to free seats, mail keys, write notes, reissue keys, and renew
   * licenses up to the limit that the token names.
   */
  support: ['read'],
  /** Allows everything that `support` allows without its limit, and every write to licenses and license types. */
  licenses: ['read', 'support'],
  /**
   * Allows all requests about releases and their files, except the request that sets who may download the files. Also allows reading
   * products without their secrets. The scope is for the vendor's build server.
   */
  releases: [],
  /** Allows everything except managing tokens and reading the audit log. */
  manage: ['read', 'support', 'licenses', 'releases'],
  /** Allows everything. */
  admin: ['read', 'support', 'licenses', 'releases', 'manage'],
} as const satisfies Record<string, readonly string[]>;

export type Scope = keyof typeof included;
export const scopes = Object.keys(included) as readonly Scope[] as readonly [Scope, ...Scope[]];

/**
 * Whether renewals by a token are limited (`renewal_days`): the token may renew licenses only because of its scope
 * `support`.
 */
export const limitsRenewals = (held: readonly Scope[]): boolean => permits(held, 'support') && !permits(held, 'licenses');

/** The scope that an endpoint requires. If it is a list, any one scope of the list is enough. */
export type NeededScope = Scope | readonly Scope[];

/** Whether the scopes of a token contain a required scope, or include it through another scope. */
export const permits = (held: readonly Scope[], needed: NeededScope): boolean =>
  held.some((scope) => [scope, ...included[scope]].some((name) => [needed].flat().includes(name)));
