import { parseTimestamp } from './timestamp';

/** Decides which releases a license covers (docs/spec/releases.md, What a license covers), by the same rule as the service. */

/** A build of the app. */
export interface Release {
  /** A semantic version, or digits with dots; a leading `v` is allowed. */
  readonly version?: string | undefined;
  /** When the release was published, as RFC 3339 text or as a `Date`. */
  readonly releasedAt?: string | Date | undefined;
}

/** Which releases a license covers. A limit is null if the license doesn't have this limit. */
export interface Updates {
  /** Releases published up to this time are covered. */
  readonly until: Date | null;
  /** Releases up to this major version are covered. */
  readonly maxMajor: number | null;
}

// Each part has a character class of its own, so that no text makes the match slow.
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(\+[\dA-Za-z-]+(\.[\dA-Za-z-]+)*)?$/;
const DOTTED = /^\d+(\.\d+)*$/;

/**
 * Whether a release is covered. One satisfied limit is enough. A limit is ignored if the license doesn't have it, or if the release has no
 * readable date or version to compare. If no limit remains, the release is covered.
 */
export function coversRelease({ until, maxMajor }: Updates, { version = '', releasedAt }: Release): boolean {
  const plain = version.replace(/^v/, '');
  const released = releasedAt instanceof Date ? releasedAt.getTime() : parseTimestamp(releasedAt);
  const judged: boolean[] = [];
  if (until && released !== undefined) judged.push(released <= until.getTime());
  if (maxMajor !== null && (SEMVER.test(plain) || DOTTED.test(plain))) judged.push(Number.parseInt(plain, 10) <= maxMajor);
  return judged.length === 0 || judged.includes(true);
}
