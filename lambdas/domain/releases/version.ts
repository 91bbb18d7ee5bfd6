import { SEMVER } from '../../contract/resources/release';

/** Versions by Semantic Versioning 2.0, in their order. */

const NO_PRERELEASE = '9';
const NUMERIC = '1';
const ALPHANUMERIC = '2';
/** Ends an alphanumeric identifier; it sorts before every character of one. */
const END = '!';

/** A number with its length before it, as a letter: numbers then sort as text. */
const sortableNumber = (digits: string): string => String.fromCharCode(96 + digits.length) + digits;

const sortableIdentifier = (identifier: string): string =>
  /^\d+$/.test(identifier) ? NUMERIC + sortableNumber(identifier) : ALPHANUMERIC + identifier + END;

/**
 * A text in printable ASCII by which versions sort, byte by byte, as Semantic Versioning orders them. Versions that differ in their build
 * metadata alone have the same position.
 *
 * @param version one that the contract accepts
 */
export function versionPosition(version: string): string {
  const [, major, minor, patch, prerelease] = SEMVER.exec(version) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) throw new Error('This is not a version');
  const core = [major, minor, patch].map(sortableNumber).join('');
  return core + (prerelease === undefined ? NO_PRERELEASE : prerelease.split('.').map(sortableIdentifier).join(''));
}
