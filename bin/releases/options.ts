import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { architectures, platforms, STABLE, type Architecture, type Platform } from '../../lambdas/contract/resources/release';
import { ADMIN_TOKEN_USAGE, adminTokenOptions, readAdminToken } from '../admin-token';

/** What the command line asks for. */

/** It asks for what cannot be done. */
export class UsageError extends Error {}

/** What a file runs on. */
export interface Target {
  readonly platform: Platform;
  readonly arch: Architecture;
}

export interface PublishOptions {
  readonly baseUrl: string;
  readonly adminToken: string;
  readonly product: number;
  readonly version: string;
  readonly channel: string;
  readonly notes: string | undefined;
  readonly releasedAt: string | undefined;
  readonly features: readonly string[];
  readonly build: string | undefined;
  readonly paths: readonly string[];
  /** By the names of files: what their names do not say. */
  readonly targets: ReadonlyMap<string, Target>;
  /** Files that are uploaded at the same time. */
  readonly parallel: number;
  /** Everything but the publishing. */
  readonly isDraft: boolean;
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:8787';

export const USAGE = `Uploads the files of a version and publishes it.

  npm run releases -- publish --product 1 --version 2.4.0 dist/*

Folders, update feeds (.yml) and signatures (.sig) among the files are no files of the release: a signature goes with the file that
it is of. It may break off at any time: started again, it continues where it was.

  --product        the product's id
  --version        the version, by Semantic Versioning
  --channel        the channel (default: ${STABLE})
  --notes-file     a file with what is new, in Markdown
  --released-at    the date by which licenses cover it (default: the time of publishing)
  --feature        a feature that a license must have; may be repeated
  --build          the build number that Sparkle compares (default: the version)
  --target         <file>=<platform>/<arch>, where the name of a file does not say it; may be repeated.
                   Platforms: ${platforms.join(', ')}. Architectures: ${architectures.join(', ')}
  --parallel       how many files are uploaded at the same time (default: 4)
  --draft          uploads and does not publish
  --base-url       the address of the service (default: ${DEFAULT_BASE_URL})
  --help

${ADMIN_TOKEN_USAGE}

The token needs the scope releases.`;

const isOneOf = <Name extends string>(names: readonly Name[], value: string | undefined): value is Name =>
  names.some((name) => name === value);

function readTarget(text: string): readonly [string, Target] {
  const place = text.lastIndexOf('=');
  const [platform, arch] = text.slice(place + 1).split('/');
  if (place < 1 || !isOneOf(platforms, platform) || !isOneOf(architectures, arch))
    throw new UsageError(
      `--target must be <file>=<platform>/<arch>, with a platform of ${platforms.join(', ')} and an architecture of ${architectures.join(', ')}.`,
    );
  return [text.slice(0, place), { platform, arch }];
}

/** Reads the arguments. @throws UsageError */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): PublishOptions | 'help' {
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
      target: many,
      parallel: text,
      draft: flag,
      'base-url': text,
      ...adminTokenOptions,
      help: flag,
    },
  });
  if (values.help) return 'help';
  const [command, ...paths] = positionals;
  if (command !== 'publish') throw new UsageError('Say what is to be done: publish.');
  const { product, version, 'base-url': base = DEFAULT_BASE_URL, parallel = '4', 'notes-file': notes } = values;
  if (product === undefined || !/^[1-9]\d{0,15}$/.test(product)) throw new UsageError('--product is needed: the id of a product.');
  if (version === undefined) throw new UsageError('--version is needed, such as 2.4.0.');
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    throw new UsageError('--base-url must be an address that begins with http:// or https://.');
  const adminToken = readAdminToken(values, env);
  if (adminToken === undefined)
    throw new UsageError('The admin token is needed: SVC_ADMIN_TOKEN in the environment, or --admin-token-file.');
  if (!/^[1-9]\d?$/.test(parallel)) throw new UsageError('--parallel must be a whole number from 1 to 99.');
  if (paths.length === 0) throw new UsageError('Name the files to upload, such as dist/*.');
  return {
    baseUrl: base.replace(/(?<!\/)\/+$/, ''),
    adminToken,
    product: Number(product),
    version,
    channel: values.channel ?? STABLE,
    notes: notes === undefined ? undefined : readFileSync(notes, 'utf8'),
    releasedAt: values['released-at'],
    features: values.feature ?? [],
    build: values.build,
    paths,
    targets: new Map((values.target ?? []).map(readTarget)),
    parallel: Number(parallel),
    isDraft: values.draft ?? false,
  };
}
