import { InvalidArgumentError, type Command } from 'commander';
import { readFileSync } from 'node:fs';
import { architectures, platforms, STABLE, systemPlatforms } from '../../lambdas/contract/resources/release';
import type { Target } from '../../lambdas/domain/releases/target';
import { isOneOf, productId, repeated, UsageError, wholeNumber } from '../command-line';
import type { Minimums } from './feeds';

/** The options of `releases publish` and `releases edit`. */

export interface ReleaseOptions {
  readonly product: number;
  readonly version: string;
  readonly channel: string | undefined;
  readonly notes: string | undefined;
  readonly releasedAt: string | undefined;
  readonly features: readonly string[];
  readonly build: string | undefined;
  /** One version for all platforms, or one for each platform; null: no minimum; undefined: not given. */
  readonly minimumSystemVersion: string | Minimums | null | undefined;
  /** null: all installations; undefined: not given. */
  readonly stagingPercentage: number | null | undefined;
}

export interface PublishOptions extends ReleaseOptions {
  /** The number of files that are uploaded at the same time. */
  readonly parallel: number;
  /** Whether the release stays a draft: the files are uploaded, but the release is not published. */
  readonly isDraft: boolean;
}

/** The values of the options as commander reads them. */
export interface ReleaseValues {
  readonly product: number;
  readonly version: string;
  readonly channel?: string;
  readonly notesFile?: string;
  readonly releasedAt?: string;
  readonly feature?: readonly string[];
  readonly build?: string;
  readonly minimumSystemVersion?: readonly string[];
  readonly stagingPercentage?: number | 'none';
  readonly json: boolean;
}

export interface PublishValues extends ReleaseValues {
  /** By file name: the targets of files whose names do not show the platform and the architecture. */
  readonly target?: readonly (readonly [string, Target])[];
  readonly parallel: number;
  readonly draft?: true;
}

export const addReleaseOptions = (command: Command): Command =>
  command
    .requiredOption('--product <id>', "the product's id", productId)
    .requiredOption('--version <version>', 'the version, by Semantic Versioning')
    .option('--channel <name>', `the channel (default: ${STABLE})`)
    .option('--notes-file <file>', 'a Markdown file that describes what is new')
    .option('--released-at <time>', 'the date that decides which licenses cover the version (default: the time of publishing)')
    .option('--feature <name>', 'a feature that a license must have to get the version; may be repeated', repeated(String))
    .option('--build <number>', 'the build number that Sparkle compares (default: the version)')
    .option(
      '--minimum-system-version <version>',
      'the minimum version of the operating system, or <platform>=<version>, which may be repeated, or none',
      repeated(String),
    )
    .option(
      '--staging-percentage <number>',
      'the percentage of the installations to which electron-updater offers the version, or none for all',
      (value) => (value === 'none' ? value : wholeNumber(1, 100)(value)),
    )
    .option('--json', 'prints the release as JSON, in the format of the API', false);

export const addPublishOptions = (command: Command): Command =>
  command
    .option(
      '--target <file=platform/arch>',
      `if the file's name does not show the target; may be repeated. Platforms: ${platforms.join(', ')}. Architectures: ${architectures.join(', ')}`,
      repeated(readTarget),
    )
    .option('--parallel <number>', 'how many files are uploaded at the same time', wholeNumber(1, 99), 4)
    .option('--draft', 'uploads the files without publishing the version');

function readTarget(text: string): readonly [string, Target] {
  const place = text.lastIndexOf('=');
  const [platform, arch] = text.slice(place + 1).split('/');
  if (place < 1 || !isOneOf(platforms, platform) || !isOneOf(architectures, arch))
    throw new InvalidArgumentError(
      `It must be <file>=<platform>/<arch>. Platforms: ${platforms.join(', ')}. Architectures: ${architectures.join(', ')}.`,
    );
  return [text.slice(0, place), { platform, arch }];
}

/** @throws UsageError */
function readMinimum(values: readonly string[] | undefined): ReleaseOptions['minimumSystemVersion'] {
  const [first] = values ?? [];
  if (values === undefined || first === undefined) return undefined;
  if (values.length === 1 && !first.includes('=')) return first === 'none' ? null : first;
  return Object.fromEntries(
    values.map((value) => {
      const [platform, version = ''] = value.split('=');
      if (!isOneOf(systemPlatforms, platform) || version === '')
        throw new UsageError(
          `--minimum-system-version must be a version or <platform>=<version>. Platforms: ${systemPlatforms.join(', ')}.`,
        );
      return [platform, version];
    }),
  );
}

/** @throws UsageError, or the system's error if the file with the notes can't be read */
export const releaseOptions = (values: ReleaseValues): ReleaseOptions => ({
  product: values.product,
  version: values.version,
  channel: values.channel,
  notes: values.notesFile === undefined ? undefined : readFileSync(values.notesFile, 'utf8'),
  releasedAt: values.releasedAt,
  features: values.feature ?? [],
  build: values.build,
  minimumSystemVersion: readMinimum(values.minimumSystemVersion),
  stagingPercentage: values.stagingPercentage === 'none' ? null : values.stagingPercentage,
});
