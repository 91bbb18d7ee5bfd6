import { architectures, platforms, type Architecture, type Platform } from '../../contract/resources/release';
import type { Release } from './release';
import { versionPosition } from './version';

/**
 * The published releases of a product in one channel, as far as an updater's question needs them: which of them a license covers, has the
 * features for, and runs on a machine. All else is in the release's own row, which is read when it was chosen.
 */
export interface CatalogueEntry {
  readonly id: number;
  readonly version: string;
  /** Epoch ms. */
  readonly released_at: number;
  readonly features: readonly string[];
  /** What it has files for, see {@link targetBit}: all together, and those with a signature of their vendor. */
  readonly targets: number;
  readonly signed: number;
}

/** Newest version first. */
export type Catalogue = readonly CatalogueEntry[];

/** A bit for each platform and architecture that a file may be for. New values of either come last. */
export const targetBit = (platform: Platform, arch: Architecture): number =>
  1 << (platforms.indexOf(platform) * architectures.length + architectures.indexOf(arch));

/** Block maps are downloaded along with the file that they describe, and offered to nobody. */
const isOffered = ({ filename }: { readonly filename: string }): boolean => !filename.endsWith('.blockmap');

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

/** The catalogue with a release as it is now: added, replaced, or left out. */
export function withRelease(catalogue: Catalogue, release: Release): Catalogue {
  const entry = catalogueEntry(release);
  const others = catalogue.filter(({ id }) => id !== release.id);
  if (!entry) return others;
  const position = versionPosition(entry.version);
  const place = others.findIndex(({ version }) => versionPosition(version) < position);
  return place < 0 ? [...others, entry] : others.toSpliced(place, 0, entry);
}
