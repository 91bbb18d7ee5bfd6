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

/** The minimum version of a device's operating system; undefined if there is none. */
const minimumFor = ({ minimum_system_version: minimum }: Release, { platform }: Device): string | undefined =>
  platform === undefined || platform === 'any' ? undefined : minimum?.[platform];

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
  const minimum = minimumFor(release, device);
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
    ...(minimum === undefined ? [] : [`minimumSystemVersion: ${quoted(minimum)}`]),
    ...(release.staging_percentage === null ? [] : [`stagingPercentage: ${release.staging_percentage}`]),
    ...(release.notes === null ? [] : [`releaseNotes: ${quoted(release.notes)}`]),
    ...(release.released_at === null ? [] : [`releaseDate: ${quoted(timestampOf(release.released_at))}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The endings of the files that Tauri installs, by the kind of bundle with which an app was installed, best ending first. */
const bundleEndings = {
  nsis: ['-setup.exe', '.exe', '.nsis.zip'],
  msi: ['.msi', '.msi.zip'],
  app: ['.app.tar.gz', '.tar.gz'],
  appimage: ['.appimage', '.appimage.tar.gz'],
  deb: ['.deb'],
  rpm: ['.rpm'],
} satisfies Readonly<Record<string, readonly string[]>>;

/**
 * The endings for an app that doesn't say how it was installed. AppImages and macOS archives work in every directory to which the user has
 * copied the app, because the updater replaces the app in that directory.
 */
const tauriEndings: Readonly<Record<Platform, readonly string[]>> = {
  windows: [...bundleEndings.nsis, ...bundleEndings.msi, '.zip'],
  macos: bundleEndings.app,
  linux: [...bundleEndings.appimage, ...bundleEndings.deb, ...bundleEndings.rpm],
  any: [],
};

/**
 * The signed file that a Tauri app on a device installs.
 *
 * @param bundle the kind of bundle with which the app was installed, as the app says. Only a file of the same kind can replace such an app.
 * An unknown kind counts as none.
 */
export function tauriFile(release: Release, device: Device & { readonly platform: Platform }, bundle?: string): Artifact | undefined {
  const known = Object.entries(bundleEndings).find(([kind]) => kind === bundle)?.[1];
  const signed = filesFor(device, release).filter(({ signature }) => signature !== null);
  const fitting = known ? signed.filter(({ filename }) => known.some((ending) => filename.toLowerCase().endsWith(ending))) : signed;
  return bestOf(fitting, known ?? tauriEndings[device.platform], [device.arch ?? 'any', 'universal']);
}

type AppcastPlatform = 'macos' | 'windows' | 'linux';

/** A kind of device for which an appcast has an item. */
export interface AppcastDevice {
  readonly platform: AppcastPlatform;
  readonly arch?: Architecture;
}

/**
 * The devices for which an appcast has items, in the order of the items. Among items with the same version, Sparkle takes the first that
 * runs on the Mac, so the item for Apple processors comes first.
 *
 * @param userAgent the request's header. Sparkle before 2.9 ignores the requirement for an Apple processor, so it gets one item for all Macs
 */
export function appcastDevices(userAgent = ''): readonly AppcastDevice[] {
  const [, major, minor] = /\bSparkle\/(\d{1,4})\.(\d{1,4})/.exec(userAgent) ?? [];
  const knowsProcessors = major === undefined || Number(major) > 2 || (major === '2' && Number(minor) >= 9);
  const macs: readonly AppcastDevice[] = knowsProcessors
    ? [
        { platform: 'macos', arch: 'arm64' },
        { platform: 'macos', arch: 'x64' },
      ]
    : [{ platform: 'macos' }];
  return [...macs, { platform: 'windows' }, { platform: 'linux' }];
}

const appcastEndings: Readonly<Record<AppcastPlatform, readonly string[]>> = {
  macos: ['.zip', '.dmg', '.tar.xz', '.tar.gz', '.pkg'],
  windows: installers.windows,
  linux: installers.linux,
};

/**
 * The architectures of the files in an appcast, best first. Universal files come first. In an item for all Macs, files for Intel (x64) come
 * before files for Apple processors (arm64), because Macs with Apple processors run files for Intel with Rosetta.
 */
const APPCAST_ARCHITECTURES: readonly Architecture[] = ['universal', 'any', 'x64', 'arm64'];

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
/** A text that XML can contain. Characters that XML 1.0 forbids are left out. */
const escaped = (text: string): string =>
  text.replace(/[\ufffe\uffff]/g, '').replace(/[&<>"']/g, (character) => entities[character] ?? character);

/**
 * An appcast for Sparkle, WinSparkle and NetSparkle. Two devices that get the same file have one item.
 *
 * @param offers the release for each device
 * @param urlOf returns the URL of a file
 */
export function appcast(
  title: string,
  offers: readonly { readonly device: AppcastDevice; readonly release: Release }[],
  urlOf: (release: Release, file: Artifact) => string,
): string {
  const items = offers.flatMap(({ device, release }) => itemOf(device, release, urlOf) ?? []);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:sparkle="http://www.andymatuschak.org/xml-namespaces/sparkle">',
    '  <channel>',
    `    <title>${escaped(title)}</title>`,
    ...new Set(items),
    '  </channel>',
    '</rss>',
    '',
  ].join('\n');
}

function itemOf(device: AppcastDevice, release: Release, urlOf: (release: Release, file: Artifact) => string): string | undefined {
  const { platform } = device;
  const files = filesFor(device, release);
  const signed = files.filter(({ signature }) => signature !== null);
  const file = bestOf(signed.length > 0 ? signed : files, appcastEndings[platform], APPCAST_ARCHITECTURES);
  if (!file) return undefined;
  const { version, build, channel, notes, released_at } = release;
  const minimum = minimumFor(release, device);
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
    ...(minimum === undefined ? [] : [`      <sparkle:minimumSystemVersion>${escaped(minimum)}</sparkle:minimumSystemVersion>`]),
    ...(platform === 'macos' && file.arch === 'arm64' ? ['      <sparkle:hardwareRequirements>arm64</sparkle:hardwareRequirements>'] : []),
    ...(released_at === null ? [] : [`      <pubDate>${new Date(released_at).toUTCString()}</pubDate>`]),
    ...(notes === null ? [] : [`      <description sparkle:format="markdown">${escaped(notes)}</description>`]),
    `      <enclosure ${Object.entries(enclosure)
      .map(([name, value]) => `${name}="${escaped(value)}"`)
      .join(' ')}/>`,
    '    </item>',
  ].join('\n');
}
