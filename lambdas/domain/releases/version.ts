import { SEMVER } from '../../contract/semver';

/** The order of versions by Semantic Versioning 2.0. */

const NO_PRERELEASE = '9';
const NUMERIC = '1';
const ALPHANUMERIC = '2';
/** The character that marks the end of an alphanumeric identifier. It sorts before all characters that an identifier may contain. */
const END = '!';

/**
 * Puts a letter before a number, so that the texts sort like the numbers. The letter stands for the number of digits: 9 becomes `a9`, and
 * 10 becomes `b10`.
 */
const sortableNumber = (digits: string): string => String.fromCharCode(96 + digits.length) + digits;

const sortableIdentifier = (identifier: string): string =>
  /^\d+$/.test(identifier) ? NUMERIC + sortableNumber(identifier) : ALPHANUMERIC + identifier + END;

/**
 * A text in printable ASCII for a version. The byte order of these texts is the order of Semantic Versioning. Versions that differ only in
 * their build metadata have equal texts.
 *
 * @param version a version that the contract accepts
 */
export function versionPosition(version: string): string {
  const [, major, minor, patch, prerelease] = SEMVER.exec(version) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) throw new Error('This is not a version');
  const core = [major, minor, patch].map(sortableNumber).join('');
  return core + (prerelease === undefined ? NO_PRERELEASE : prerelease.split('.').map(sortableIdentifier).join(''));
}
