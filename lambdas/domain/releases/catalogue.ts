import { architectures, platforms, type Architecture, type Platform } from '../../contract/resources/release';
import type { Release } from './release';
import { versionPosition } from './version';

/**
 * The published releases of one channel of a product, with the fields that decide what an updater is offered: whether a
 * license covers a release, has its features, and has a file for the device. All other fields are in the release's own
 * row, which is read once a release is chosen.
 */
export interface CatalogueEntry {
  readonly id: number;
  readonly version: string;
  /** Epoch ms. */
  readonly released_at: number;
  readonly features: readonly string[];
  /** The platforms for which it has files, as bits of {@link targetBit}: for all files, and for files with a vendor's signature. */
  readonly targets: number;
  readonly signed: number;
}

/** Newest version first. */
export type Catalogue = readonly CatalogueEntry[];

/** A bit for each platform and architecture that a file may be for. Add new values of either at the end. */
export const targetBit = (platform: Platform, arch: Architecture): number =>
  1 << (platforms.indexOf(platform) * architectures.length + architectures.indexOf(arch));

/** Block maps are downloaded together with the file that they describe, and are never offered alone. */
export const isOffered = ({ filename }: { readonly filename: string }): boolean => !filename.endsWith('.blockmap');

/** The release's entry; undefined if it is offered to nobody. */
export function catalogueEntry({
  id,
  version,
  status,
  released_at,
  features,
  artifacts,
}: Pick<Release, 'id' | 'version' | 'status' | 'released_at' | 'features' | 'artifacts'>): CatalogueEntry | undefined {
  if (status !== 'published' || released_at === null) return undefined;
  const offered = artifacts.filter(isOffered);
  const bits = (files: Release['artifacts']): number => files.reduce((all, { platform, arch }) => all | targetBit(platform, arch), 0);
  return {
    id,
    version,
    released_at,
    features,
    targets: bits(offered),
    signed: bits(offered.filter(({ signature }) => signature !== null)),
  };
}

/** The catalogue after a release changed: the release is added, replaced or removed. */
export function withRelease(catalogue: Catalogue, release: Release): Catalogue {
  const entry = catalogueEntry(release);
  const others = catalogue.filter(({ id }) => id !== release.id);
  if (!entry) return others;
  const position = versionPosition(entry.version);
  const place = others.findIndex(({ version }) => versionPosition(version) < position);
  return place < 0 ? [...others, entry] : others.toSpliced(place, 0, entry);
}
