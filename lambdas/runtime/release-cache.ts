import type { Release } from '../domain/releases/release';
import { putBounded } from './bounded-map';

/** Time, in ms, for which a cached release is used before it is read again. */
const TTL_MS = 60_000;
/** Maximum number of cached releases. A release with many files takes up to 300 KB. */
const MAX_RELEASES = 100;
const MAX_SLUGS = 1000;

/**
 * Caches data that is needed to offer updates and that rarely changes: published releases, and the ids of products by their slugs. Of a
 * published release, only fields can change that may be a minute old, and slugs never change. The catalogue, which every request reads,
 * decides whether a release is offered and to whom.
 */
export class ReleaseCache {
  private readonly releases = new Map<string, { readonly release: Release; readonly readAt: number }>();
  private readonly products = new Map<string, number>();

  constructor(private readonly clock: () => number) {}

  /** A cached release. It was read at most a minute ago, and it was published at that time. */
  get(productId: number, version: string): Release | undefined {
    const entry = this.releases.get(`${productId} ${version}`);
    return entry && this.clock() - entry.readAt < TTL_MS ? entry.release : undefined;
  }

  /** Caches a release if it is published. Draft and yanked releases are not cached, because all of their fields may change. */
  put(release: Release): void {
    if (release.status === 'published')
      putBounded(this.releases, `${release.product_id} ${release.version}`, { release, readAt: this.clock() }, MAX_RELEASES);
  }

  productId(slug: string): number | undefined {
    return this.products.get(slug);
  }

  putProductId(slug: string, id: number): void {
    putBounded(this.products, slug, id, MAX_SLUGS);
  }
}
