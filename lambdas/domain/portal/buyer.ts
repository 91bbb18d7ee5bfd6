import type { CodeHash } from './code';

/**
 * What signs a buyer of a product in, or has: the live code, and hashes of live links and sessions, so that all of them
 * can be ended together. Times are epoch ms.
 */
export interface PortalBuyer {
  /** With the hash of the link in its mail, and the epoch of the portal in which it was made. */
  readonly code: (CodeHash & { readonly link: string; readonly epoch: number }) | null;
  readonly links: readonly Held[];
  readonly sessions: readonly Held[];
}

export interface Held {
  readonly hash: string;
  readonly until: number;
}

/** Maximum number of live links, and of live sessions, of one buyer. A further one ends the oldest. */
const MAX_HELD = 20;

export const NO_BUYER: PortalBuyer = { code: null, links: [], sessions: [] };

/** The list with one more entry, and the hashes of entries that no longer fit. Entries that are over are left out. */
export function hold(
  held: readonly Held[],
  added: Held,
  now: number,
): { readonly held: readonly Held[]; readonly ended: readonly string[] } {
  const live = [...held.filter(({ until, hash }) => until > now && hash !== added.hash), added];
  return { held: live.slice(-MAX_HELD), ended: live.slice(0, -MAX_HELD).map(({ hash }) => hash) };
}

export const without = (held: readonly Held[], hash: string): readonly Held[] => held.filter((one) => one.hash !== hash);

/** When nothing of the buyer is live any more. */
export const buyerEnd = ({ code, links, sessions }: PortalBuyer): number =>
  Math.max(0, code?.until ?? 0, ...[...links, ...sessions].map(({ until }) => until));
