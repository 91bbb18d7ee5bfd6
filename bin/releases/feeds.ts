import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { SystemPlatform } from '../../lambdas/contract/resources/release';
import { UsageError } from '../command-line';

/** The update feeds that electron-builder writes next to the files: `latest.yml`, `latest-mac.yml`, `beta-linux-arm64.yml` and so on. */

export interface Feed {
  readonly folder: string;
  readonly name: string;
  readonly platform: SystemPlatform;
  readonly minimumSystemVersion: string | undefined;
  readonly stagingPercentage: string | undefined;
  /** The names of the files that the feed offers. */
  readonly files: readonly string[];
  /** The sizes of block maps in bytes, by file name. */
  readonly blockMapSizes: ReadonlyMap<string, number>;
}

/** A scalar is read as text. YAML would read the version 22.0 as the number 22. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Returns undefined if the file is not valid YAML or has another content, and is therefore no feed of electron-builder. */
function readFeed(folder: string, name: string): Feed | undefined {
  let content: unknown;
  try {
    content = parse(readFileSync(join(folder, name), 'utf8'), { schema: 'failsafe' });
  } catch {
    return undefined;
  }
  const { files, minimumSystemVersion, stagingPercentage } = (typeof content === 'object' && content !== null ? content : {}) as Readonly<
    Record<string, unknown>
  >;
  if (!Array.isArray(files)) return undefined;
  const named = files.filter(
    (file: unknown): file is { url: string; blockMapSize?: unknown } =>
      typeof file === 'object' && file !== null && 'url' in file && typeof file.url === 'string',
  );
  return {
    folder,
    name,
    platform: name.endsWith('-mac.yml') ? 'macos' : /-linux(-[a-z0-9]+)?\.yml$/.test(name) ? 'linux' : 'windows',
    minimumSystemVersion: textOf(minimumSystemVersion),
    stagingPercentage: textOf(stagingPercentage),
    files: named.map(({ url }) => url),
    blockMapSizes: new Map(
      named.flatMap(({ url, blockMapSize }): [string, number][] =>
        /^\d+$/.test(textOf(blockMapSize) ?? '') ? [[url, Number(blockMapSize)]] : [],
      ),
    ),
  };
}

/** The feeds in the folders of the given files, whether or not the files include them. */
export const readFeeds = (paths: readonly string[]): readonly Feed[] =>
  [...new Set(paths.map((path) => dirname(path)))].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.yml') && name !== 'builder-debug.yml')
      .flatMap((name) => readFeed(folder, name) ?? []),
  );

/** The minimum version of the operating system for each platform that has one. */
export type Minimums = { readonly [platform in SystemPlatform]?: string };

/** The feeds that offer one of the given files. Feeds of other files, such as a previous build, say nothing about the release. */
export const feedsOf = (feeds: readonly Feed[], files: readonly string[]): readonly Feed[] =>
  feeds.filter((feed) => feed.files.some((file) => files.includes(file)));

/** @throws UsageError if the feeds contradict each other */
export function minimumIn(feeds: readonly Feed[]): Minimums | undefined {
  const found: { [platform in SystemPlatform]?: string } = {};
  for (const { name, platform, minimumSystemVersion: minimum } of feeds) {
    if (minimum === undefined) continue;
    if ((found[platform] ??= minimum) !== minimum)
      throw new UsageError(`${name}: another feed has another minimumSystemVersion for ${platform}. Use --minimum-system-version.`);
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

/** @throws UsageError if the feeds contradict each other */
export function stagingIn(feeds: readonly Feed[]): number | undefined {
  const found = new Set(feeds.map(({ stagingPercentage }) => stagingPercentage));
  const [staging] = found;
  if (found.size > 1 || !/^\d*$/.test(staging ?? ''))
    throw new UsageError('stagingPercentage must be the same whole number in all feeds. Use --staging-percentage.');
  return staging === undefined ? undefined : Number(staging);
}
