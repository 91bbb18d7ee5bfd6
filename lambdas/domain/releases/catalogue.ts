import { architectures, platforms, type Architecture, type Platform } from '../../contract/resources/release';
import type { Release } from './release';
import { versionPosition } from './version';

/**
 * A published release in the catalogue of its product and channel. An entry has only the fields that are needed to choose the release for
 * an updater: the version, the date, the required features and the platforms. All other fields are in the release's own row, which is read
 * only for the chosen release.
 */
export interface CatalogueEntry {
  readonly id: number;
  readonly version: string;
  /** The date of the release, in epoch ms. */
  readonly released_at: number;
  readonly features: readonly string[];
  /**
   * The platforms for which the release has files, as bits of {@link targetBit}. `targets` includes all files, `signed` only files with a
   * vendor's signature.
   */
  readonly targets: number;
  readonly signed: number;
}

/** Newest version first. */
export type Catalogue = readonly CatalogueEntry[];

/**
 * The bit for a platform and an architecture of a file. Add new platforms and architectures at the end of their lists, because stored bits
 * depend on the order.
 */
export const targetBit = (platform: Platform, arch: Architecture): number =>
  1 << (platforms.indexOf(platform) * architectures.length + architectures.indexOf(arch));

/**
 * Whether a file is offered to updaters. Block maps are not offered, because an updater downloads a block map only together with the file
 * that it describes.
 */
export const isOffered = ({ filename }: { readonly filename: string }): boolean => !filename.endsWith('.blockmap');

/** The entry of a release; undefined if the release is not offered to anybody. */
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

/** The catalogue after a release changed. The release is added, replaced or removed. */
export function withRelease(catalogue: Catalogue, release: Release): Catalogue {
  const entry = catalogueEntry(release);
  const others = catalogue.filter(({ id }) => id !== release.id);
  if (!entry) return others;
  const position = versionPosition(entry.version);
  const place = others.findIndex(({ version }) => versionPosition(version) < position);
  return place < 0 ? [...others, entry] : others.toSpliced(place, 0, entry);
}
