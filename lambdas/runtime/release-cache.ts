import type { Release } from '../domain/releases/release';

/** How long a release is used before it is read again, in ms. */
const TTL_MS = 60_000;
/** A release with many files takes up to 300 KB. */
const MAX_RELEASES = 100;
const MAX_SLUGS = 1000;

/**
 * What offers need and what hardly changes: published releases, of which only the notes and the features can change, and
 * the ids of products by their slugs, which never change. Whether a release is offered at all, and to whom, is in the
 * catalogue, which every request reads.
 */
export class ReleaseCache {
  private readonly releases = new Map<string, { readonly release: Release; readonly readAt: number }>();
  private readonly products = new Map<string, number>();

  constructor(private readonly clock: () => number) {}

  /** A release that was published when it was last read, at most a minute ago. */
  get(productId: number, version: string): Release | undefined {
    const entry = this.releases.get(`${productId} ${version}`);
    return entry && this.clock() - entry.readAt < TTL_MS ? entry.release : undefined;
  }

  /** Keeps a release if it is published: a draft or a yanked one may change in any way. */
  put(release: Release): void {
    if (release.status === 'published')
      keep(this.releases, `${release.product_id} ${release.version}`, { release, readAt: this.clock() }, MAX_RELEASES);
  }

  productId(slug: string): number | undefined {
    return this.products.get(slug);
  }

  putProductId(slug: string, id: number): void {
    keep(this.products, slug, id, MAX_SLUGS);
  }
}

/** Adds an entry, and drops the oldest one if there are too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
