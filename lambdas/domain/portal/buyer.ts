import * as z from 'zod/mini';
import { list, number, orNull, string, type Stored } from '../stored';

const heldSchema = z.object({ hash: string, until: number });
export type Held = Stored<typeof heldSchema>;

/**
 * The valid sign-in code of a buyer of a product, and the hashes of the buyer's valid links and sessions. The code and the hashes are
 * stored together, so that one write can end all of them. Times are epoch ms.
 */
export const buyerSchema = z.object({
  /**
   * The sign-in code, and the hash of the link in the same mail. `epoch` is the portal's `epoch` (see `settings.ts`) when the code was
   * created.
   */
  code: orNull(z.object({ hash: string, until: number, link: string, epoch: number })),
  links: list(heldSchema),
  sessions: list(heldSchema),
});
export interface PortalBuyer extends Stored<typeof buyerSchema> {}

/**
 * Maximum number of a buyer's valid links, and maximum number of a buyer's valid sessions. A new link above the maximum ends the buyer's
 * oldest link, and a new session above the maximum ends the oldest session.
 */
const MAX_HELD = 20;

export const NO_BUYER: PortalBuyer = { code: null, links: [], sessions: [] };

/**
 * Adds an entry to a list and removes the expired entries. If the list is then too long, the oldest entries are removed as well, and
 * `ended` contains their hashes.
 */
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
