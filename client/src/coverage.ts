import { parseTimestamp } from './timestamp';

/** Which releases a license covers (docs/spec/releases.md, What a license covers): the same rule as the service's. */

/** A build of the app. */
export interface Release {
  /** Semver, or digits with dots; a leading `v` is allowed. */
  readonly version?: string | undefined;
  /** When it was published: RFC 3339, or a date. */
  readonly releasedAt?: string | Date | undefined;
}

/** What limits the releases of a license; null: no such limit. */
export interface Updates {
  /** Releases published until then are covered. */
  readonly until: Date | null;
  /** Releases up to this major version are covered. */
  readonly maxMajor: number | null;
}

// A class of its own for each part: no text makes the match slow.
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(\+[\dA-Za-z-]+(\.[\dA-Za-z-]+)*)?$/;
const DOTTED = /^\d+(\.\d+)*$/;

/** Whether a release is covered: by any limit, or if there is none that can be judged. */
export function coversRelease({ until, maxMajor }: Updates, { version = '', releasedAt }: Release): boolean {
  const plain = version.replace(/^v/, '');
  const released = releasedAt instanceof Date ? releasedAt.getTime() : parseTimestamp(releasedAt);
  const judged: boolean[] = [];
  if (until && released !== undefined) judged.push(released <= until.getTime());
  if (maxMajor !== null && (SEMVER.test(plain) || DOTTED.test(plain))) judged.push(Number.parseInt(plain, 10) <= maxMajor);
  return judged.length === 0 || judged.includes(true);
}
