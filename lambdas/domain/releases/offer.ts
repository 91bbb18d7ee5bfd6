import type { Failure } from '../../contract/errors';
import { STABLE, type Architecture, type Platform, architectures, platforms } from '../../contract/resources/release';
import { covers, limitsOf, type CoverageLimits } from '../coverage';
import { effectiveFeatures, type License } from '../license';
import { mintingRefusal } from '../validation';
import { isOffered, targetBit, type Catalogue, type CatalogueEntry } from './catalogue';
import type { Artifact, Release } from './release';
import { versionPosition } from './version';

/** Decides which release is offered to an updater (docs/spec/releases.md, What is offered). */

/** The releases that a caller may download. */
export interface Rights {
  readonly limits: CoverageLimits;
  readonly features: readonly string[];
  /** Only releases with a date before this time (epoch ms) are allowed; null: releases with any date. */
  readonly releasedBefore: number | null;
}

/** The rights that everybody has to public downloads: all releases that require no features. */
export const PUBLIC_RIGHTS: Rights = { limits: { updates_until: null, max_major: null }, features: [], releasedBefore: null };

/** The rights that a license gives now. If the license's status refuses downloads, the result is the same refusal as in a validation. */
export function rightsOf(license: License, now: number): Failure | Rights {
  const refusal = mintingRefusal(license, now);
  const keepsDownloads = refusal?.failure === 'license_expired' && license.license_type.downloads_when_expired;
  if (refusal && !(keepsDownloads && license.expires_at !== null)) return refusal;
  return {
    limits: limitsOf(license, now),
    features: effectiveFeatures(license),
    releasedBefore: refusal ? license.expires_at : null,
  };
}

/** The channels whose releases may be offered to users of a channel: the channel itself and all more stable channels. */
export function candidateChannels(channel: string): readonly string[] {
  if (channel === 'alpha') return ['alpha', 'beta', STABLE];
  return channel === STABLE ? [STABLE] : [channel, STABLE];
}

/** The device that asks for a release. A missing field matches every file. */
export interface Device {
  readonly platform?: Platform | undefined;
  readonly arch?: Architecture | undefined;
}

export interface Wanted extends Device {
  /** Only versions newer than this version are offered. */
  readonly above?: string | undefined;
  /** Whether only files with a vendor's signature are offered. */
  readonly signed?: boolean;
}

/**
 * Whether a file runs on the device. A file with the platform `any` fits every platform, and a file with the architecture `any` or
 * `universal` fits every architecture.
 */
export const isFor = ({ platform, arch }: Device, file: Pick<Artifact, 'platform' | 'arch'>): boolean =>
  (platform === undefined || file.platform === platform || file.platform === 'any') &&
  (arch === undefined || file.arch === arch || file.arch === 'any' || file.arch === 'universal');

const targetsFor = (device: Device): number =>
  platforms
    .flatMap((platform) => architectures.map((arch) => ({ platform, arch })))
    .filter((file) => isFor(device, file))
    .reduce((bits, { platform, arch }) => bits | targetBit(platform, arch), 0);

type Judged = Pick<Release, 'version' | 'released_at' | 'features'>;

const hasFeatures = ({ features }: Rights, release: Judged): boolean => release.features.every((name) => features.includes(name));

/** Whether the rights allow a published release. */
export const mayHave = (rights: Rights, release: Judged): boolean =>
  hasFeatures(rights, release) &&
  covers(rights.limits, release) &&
  (rights.releasedBefore === null || (release.released_at !== null && release.released_at < rights.releasedBefore));

export interface Offer {
  /** The newest release that the caller may have; undefined if that release is not newer than the caller's version. */
  readonly update: CatalogueEntry | undefined;
  /** The newest release whose required features the caller has, even if the license does not cover it. */
  readonly newest: (CatalogueEntry & { readonly covered: boolean }) | undefined;
}

/** @param catalogues the catalogues of the candidate channels */
export function offerOf(catalogues: readonly Catalogue[], rights: Rights, wanted: Wanted): Offer {
  const targets = targetsFor(wanted);
  const fits = (entry: CatalogueEntry): boolean => ((wanted.signed ? entry.signed : entry.targets) & targets) !== 0;
  const first = (accepts: (entry: CatalogueEntry) => boolean): CatalogueEntry | undefined =>
    newestOf(catalogues.map((catalogue) => catalogue.find((entry) => fits(entry) && accepts(entry))));
  const newest = first((entry) => hasFeatures(rights, entry));
  const update = first((entry) => mayHave(rights, entry));
  const isAbove = update && (wanted.above === undefined || versionPosition(update.version) > versionPosition(wanted.above));
  return { update: isAbove ? update : undefined, newest: newest && { ...newest, covered: covers(rights.limits, newest) } };
}

const newestOf = (entries: readonly (CatalogueEntry | undefined)[]): CatalogueEntry | undefined =>
  entries.reduce(
    (newest, entry) => (!newest || (entry && versionPosition(entry.version) > versionPosition(newest.version)) ? entry : newest),
    undefined,
  );

/** The files of a release that are offered to a device. */
export const filesFor = (device: Device, { artifacts }: Pick<Release, 'artifacts'>): readonly Artifact[] =>
  artifacts.filter((file) => isOffered(file) && isFor(device, file));

/**
 * The best file. Files are compared by the order of the endings, then by the order of the architectures. Endings and architectures that are
 * not listed come last.
 */
export function bestOf(files: readonly Artifact[], endings: readonly string[], order: readonly Architecture[]): Artifact | undefined {
  const place = (index: number): number => (index < 0 ? Number.MAX_SAFE_INTEGER : index);
  const rank = ({ filename, arch }: Artifact): readonly [number, number] => [
    place(endings.findIndex((ending) => filename.toLowerCase().endsWith(ending))),
    place(order.indexOf(arch)),
  ];
  return [...files].sort((a, b) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1])[0];
}
