import { STABLE, type Architecture, type Platform } from '../../contract/resources/release';
import { timestampOf } from '../time';
import { bestOf, filesFor, type Device } from './offer';
import type { Artifact, Release } from './release';

/** The formats of update feeds (docs/spec/releases.md, Feeds). */

/** A text in double quotes that YAML can read. Some characters need an escape in YAML, but get none from `JSON.stringify`. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/** The endings of the files that each system's updater installs, best ending first. */
const installers: Readonly<Record<Platform, readonly string[]>> = {
  windows: ['.exe', '.msi', '.zip'],
  macos: ['.zip', '.dmg'],
  linux: ['.appimage', '.deb', '.rpm'],
  any: [],
};

const systems = { '': 'windows', '-mac': 'macos', '-linux': 'linux' } as const;

/**
 * The device for which electron-updater requests a feed file. The name of the file shows the device. Undefined if the channel has no feed
 * file with that name.
 */
export function electronDevice(channel: string, file: string): Device | undefined {
  const name = [channel, 'latest'].find(
    (prefix) => /^(-(mac|linux(-[a-z0-9]+)?))?\.yml$/.test(file.slice(prefix.length)) && file.startsWith(prefix),
  );
  if (name === undefined) return undefined;
  const suffix = file.slice(name.length, -'.yml'.length);
  // Linux has a feed file for each architecture. On other systems the updater chooses among the files of all architectures.
  if (!suffix.startsWith('-linux')) return { platform: systems[suffix as '' | '-mac'] };
  const arch = suffix.slice('-linux-'.length);
  return { platform: 'linux', arch: arch === '' ? 'x64' : arch === 'arm64' || arch === 'ia32' ? arch : 'any' };
}

/**
 * The feed file that electron-updater's provider `generic` reads. The URLs in the file are relative, so that the updater downloads from the
 * base URL with which the app was built.
 */
export function electronFeed(release: Release, device: Device): string {
  const offered = filesFor(device, release);
  const installer = bestOf(offered, installers[device.platform ?? 'any'], ['x64', 'universal', 'arm64']);
  // The best installer is first, because an updater without a file for its architecture takes the first file.
  const files = [...(installer ? [installer] : []), ...offered.filter((file) => file !== installer)];
  const urlOf = ({ filename }: Artifact): string => quoted(`../../files/${release.version}/${filename}`);
  const lines = [
    `version: ${quoted(release.version)}`,
    'files:',
    ...files.flatMap((file) => [
      `  - url: ${urlOf(file)}`,
      `    sha512: ${quoted(base64(file.sha512))}`,
      `    size: ${file.size}`,
      ...(file.block_map_size === null ? [] : [`    blockMapSize: ${file.block_map_size}`]),
    ]),
    // Fields for the updaters of electron-builder before version 20.
    ...(installer ? [`path: ${urlOf(installer)}`, `sha512: ${quoted(base64(installer.sha512))}`] : []),
    ...(release.notes === null ? [] : [`releaseNotes: ${quoted(release.notes)}`]),
    ...(release.released_at === null ? [] : [`releaseDate: ${quoted(timestampOf(release.released_at))}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The endings of files that Tauri can install, best ending first. AppImages and macOS archives work in every directory to which the user
 * has copied the app, because the updater replaces the app in that directory.
 */
const tauriEndings: Readonly<Record<Platform, readonly string[]>> = {
  windows: ['-setup.exe', '.exe', '.msi', '.nsis.zip', '.msi.zip', '.zip'],
  macos: ['.app.tar.gz', '.tar.gz'],
  linux: ['.appimage', '.appimage.tar.gz', '.deb', '.rpm'],
  any: [],
};

/** The signed file that a Tauri app on a device installs. */
export function tauriFile(release: Release, device: Device & { readonly platform: Platform }): Artifact | undefined {
  const signed = filesFor(device, release).filter(({ signature }) => signature !== null);
  return bestOf(signed, tauriEndings[device.platform], [device.arch ?? 'any', 'universal']);
}

/** The platforms of an appcast, in the order of its items. */
export const appcastPlatforms = ['macos', 'windows', 'linux'] as const;
export type AppcastPlatform = (typeof appcastPlatforms)[number];

const appcastEndings: Readonly<Record<AppcastPlatform, readonly string[]>> = {
  macos: ['.zip', '.dmg', '.tar.xz', '.tar.gz', '.pkg'],
  windows: installers.windows,
  linux: installers.linux,
};

/**
 * The architectures of the file that an appcast offers to all Macs, best first. Universal files come first. Files for Intel (x64) come
 * before files for Apple processors (arm64), because Macs with Apple processors run files for Intel with Rosetta.
 */
const APPCAST_ARCHITECTURES: readonly Architecture[] = ['universal', 'any', 'x64', 'arm64'];

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
/** A text that XML can contain. Characters that XML 1.0 forbids are left out. */
const escaped = (text: string): string =>
  text.replace(/[\ufffe\uffff]/g, '').replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** An item that an appcast offers. */
export interface AppcastItem {
  readonly platform: AppcastPlatform;
  readonly release: Release;
}

/**
 * An appcast for Sparkle, WinSparkle and NetSparkle.
 *
 * @param urlOf returns the URL of a file
 */
export function appcast(title: string, items: readonly AppcastItem[], urlOf: (release: Release, file: Artifact) => string): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:sparkle="http://www.andymatuschak.org/xml-namespaces/sparkle">',
    '  <channel>',
    `    <title>${escaped(title)}</title>`,
    ...items.flatMap(({ platform, release }) => itemOf(platform, release, urlOf)),
    '  </channel>',
    '</rss>',
    '',
  ].join('\n');
}

function itemOf(platform: AppcastPlatform, release: Release, urlOf: (release: Release, file: Artifact) => string): readonly string[] {
  const files = filesFor({ platform }, release);
  const signed = files.filter(({ signature }) => signature !== null);
  const file = bestOf(signed.length > 0 ? signed : files, appcastEndings[platform], APPCAST_ARCHITECTURES);
  if (!file) return [];
  const { version, build, channel, notes, released_at } = release;
  const enclosure = {
    url: urlOf(release, file),
    'sparkle:os': platform,
    length: String(file.size),
    type: file.content_type,
    ...(file.signature !== null && { 'sparkle:edSignature': file.signature.trim() }),
  };
  return [
    '    <item>',
    `      <title>${escaped(version)}</title>`,
    `      <sparkle:version>${escaped(build ?? version)}</sparkle:version>`,
    `      <sparkle:shortVersionString>${escaped(version)}</sparkle:shortVersionString>`,
    ...(channel === STABLE ? [] : [`      <sparkle:channel>${escaped(channel)}</sparkle:channel>`]),
    ...(released_at === null ? [] : [`      <pubDate>${new Date(released_at).toUTCString()}</pubDate>`]),
    ...(notes === null ? [] : [`      <description sparkle:format="markdown">${escaped(notes)}</description>`]),
    `      <enclosure ${Object.entries(enclosure)
      .map(([name, value]) => `${name}="${escaped(value)}"`)
      .join(' ')}/>`,
    '    </item>',
  ];
}
