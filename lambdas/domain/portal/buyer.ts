import type { CodeHash } from './code';

/**
 * The valid sign-in code of a buyer of a product, and the hashes of the buyer's valid links and sessions. The code and the hashes are
 * stored together, so that one write can end all of them. Times are epoch ms.
 */
export interface PortalBuyer {
  /** The sign-in code, the hash of the link in the same mail, and the portal's epoch at the time when the code was created. */
  readonly code: (CodeHash & { readonly link: string; readonly epoch: number }) | null;
  readonly links: readonly Held[];
  readonly sessions: readonly Held[];
}

export interface Held {
  readonly hash: string;
  readonly until: number;
}

/** Maximum number of valid links, and of valid sessions, of one buyer. A further link or session ends the oldest. */
const MAX_HELD = 20;

export const NO_BUYER: PortalBuyer = { code: null, links: [], sessions: [] };

/** The list with one more entry and without expired entries, and the hashes of the oldest entries that no longer fit. */
export function hold(
  held: readonly Held[],
  added: Held,
  now: number,
): { readonly held: readonly Held[]; readonly ended: readonly string[] } {
  const live = [...held.filter(({ until, hash }) => until > now && hash !== added.hash), added];
  return { held: live.slice(-MAX_HELD), ended: live.slice(0, -MAX_HELD).map(({ hash }) => hash) };
}

export const without = (held: readonly Held[], hash: string): readonly Held[] => held.filter((one) => one.hash !== hash);

/** The time at which the buyer's code, links and sessions have all expired. */
export const buyerEnd = ({ code, links, sessions }: PortalBuyer): number =>
  Math.max(0, code?.until ?? 0, ...[...links, ...sessions].map(({ until }) => until));
