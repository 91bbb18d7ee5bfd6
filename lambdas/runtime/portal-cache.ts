import type { Portal } from '../domain/portal/settings';
import { putBounded } from './bounded-map';

/** Time, in ms, for which the settings of a portal are used before they are read again. */
const TTL_MS = 60_000;
const MAX_PORTALS = 1000;

/** Caches the portals of products, for requests of apps. The portal's own pages always read the current settings. */
export class PortalCache {
  private readonly portals = new Map<string, { readonly portal: Portal | undefined; readonly readAt: number }>();

  constructor(private readonly clock: () => number) {}

  /** The enabled portal with this slug; undefined if there is none. It was read at most a minute ago; otherwise `read` reads it. */
  async get(slug: string, read: () => Promise<Portal | undefined>): Promise<Portal | undefined> {
    const entry = this.portals.get(slug);
    if (entry && this.clock() - entry.readAt < TTL_MS) return entry.portal;
    const readAt = this.clock();
    const portal = await read();
    putBounded(this.portals, slug, { portal, readAt }, MAX_PORTALS);
    return portal;
  }
}
