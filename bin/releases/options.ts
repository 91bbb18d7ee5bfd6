import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { architectures, platforms, STABLE, systemPlatforms } from '../../lambdas/contract/resources/release';
import type { Target } from '../../lambdas/domain/releases/target';
import {
  ADMIN_TOKEN_USAGE,
  BASE_URL_USAGE,
  isOneOf,
  readProduct,
  readServiceTarget,
  serviceOptions,
  UsageError,
  type ServiceTarget,
} from '../command-line';
import type { Minimums } from './feeds';

/** Reads and checks the options of `npm run releases`. */

export interface ReleaseOptions extends ServiceTarget {
  readonly command: 'publish' | 'edit';
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
  readonly paths: readonly string[];
  /** By file name: the targets of files whose names do not show the platform and the architecture. */
  readonly targets: ReadonlyMap<string, Target>;
  /** The number of files that are uploaded at the same time. */
  readonly parallel: number;
  /** Whether the release stays a draft: the files are uploaded, but the release is not published. */
  readonly isDraft: boolean;
}

export const USAGE = `Uploads the files of a version and publishes it, or changes a version.

  npm run releases -- publish --product 1 --version 2.4.0 dist/*
  npm run releases -- edit --product 1 --version 2.4.0 --staging-percentage 50

Folders, update feeds (.yml) and signatures (.sig) are not uploaded as files of the release. A signature is sent with the file that
it signs. The fields minimumSystemVersion and stagingPercentage of electron-builder's feeds are kept, unless an option sets them. You
can stop the command at any time; start it again to continue. Of a published version, edit changes only the notes, the features, the
minimum version of the system and the percentage.

  --product        the product's id
  --version        the version, by Semantic Versioning
  --channel        the channel (default: ${STABLE})
  --notes-file     a Markdown file that describes what is new
  --released-at    the date that decides which licenses cover the version (default: the time of publishing)
  --feature        a feature that a license must have to get the version; may be repeated
  --build          the build number that Sparkle compares (default: the version)
  --minimum-system-version
                   the minimum version of the operating system, or <platform>=<version>, which may be repeated, or none
  --staging-percentage
                   the percentage of the installations to which electron-updater offers the version, or none for all
  --target         <file>=<platform>/<arch>, if the file's name does not show the target; may be repeated.
                   Platforms: ${platforms.join(', ')}. Architectures: ${architectures.join(', ')}
  --parallel       how many files are uploaded at the same time (default: 4)
  --draft          uploads the files without publishing the version
  ${BASE_URL_USAGE}
  --help

${ADMIN_TOKEN_USAGE}

The token needs the scope releases.`;

function readTarget(text: string): readonly [string, Target] {
  const place = text.lastIndexOf('=');
  const [platform, arch] = text.slice(place + 1).split('/');
  if (place < 1 || !isOneOf(platforms, platform) || !isOneOf(architectures, arch))
    throw new UsageError(
      `--target must be <file>=<platform>/<arch>. Platforms: ${platforms.join(', ')}. Architectures: ${architectures.join(', ')}.`,
    );
  return [text.slice(0, place), { platform, arch }];
}

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

function readStaging(value: string | undefined): number | null | undefined {
  if (value === undefined || /^([1-9]\d?|100)$/.test(value)) return value === undefined ? undefined : Number(value);
  if (value === 'none') return null;
  throw new UsageError('--staging-percentage must be a whole number from 1 to 100, or none.');
}

/** Reads the arguments. @throws UsageError */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): ReleaseOptions | 'help' {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const many = { type: 'string', multiple: true } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      product: text,
      version: text,
      channel: text,
      'notes-file': text,
      'released-at': text,
      feature: many,
      build: text,
      'minimum-system-version': many,
      'staging-percentage': text,
      target: many,
      parallel: text,
      draft: flag,
      ...serviceOptions,
      help: flag,
    },
  });
  if (values.help) return 'help';
  const [command, ...paths] = positionals;
  if (!isOneOf(['publish', 'edit'], command)) throw new UsageError('The first argument must be publish or edit.');
  const { version, parallel = '4', 'notes-file': notes } = values;
  const product = readProduct(values.product);
  if (version === undefined) throw new UsageError('--version is needed, such as 2.4.0.');
  const target = readServiceTarget(values, env);
  if (!/^[1-9]\d?$/.test(parallel)) throw new UsageError('--parallel must be a whole number from 1 to 99.');
  if (command === 'publish' && paths.length === 0) throw new UsageError('Name the files to upload, such as dist/*.');
  if (command === 'edit' && paths.length > 0) throw new UsageError('edit takes no files.');
  return {
    ...target,
    command,
    product,
    version,
    channel: values.channel,
    notes: notes === undefined ? undefined : readFileSync(notes, 'utf8'),
    releasedAt: values['released-at'],
    features: values.feature ?? [],
    build: values.build,
    minimumSystemVersion: readMinimum(values['minimum-system-version']),
    stagingPercentage: readStaging(values['staging-percentage']),
    paths,
    targets: new Map((values.target ?? []).map(readTarget)),
    parallel: Number(parallel),
    isDraft: values.draft ?? false,
  };
}
