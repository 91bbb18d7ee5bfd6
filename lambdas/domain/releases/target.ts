import type { Architecture, Platform } from '../../contract/resources/release';

/** The system on which a file runs. */
export interface Target {
  readonly platform: Platform;
  readonly arch: Architecture;
}

/** Reads the platform and architecture of a file from its name, as electron-builder, Tauri and most other tools name files. */

/** Whether a file name contains one of the words, surrounded by characters other than letters and digits. */
const has = (name: string, ...words: string[]): boolean => {
  const parts = name.replaceAll('x86_64', 'x64').split(/[^a-z0-9]+/);
  return words.some((word) => parts.includes(word));
};

const endings: readonly (readonly [ending: RegExp, platform: Platform])[] = [
  [/\.(exe|msi|msix|appx|nsis\.zip|msi\.zip|nupkg)$/, 'windows'],
  [/\.(dmg|pkg|app\.tar\.gz|app\.zip)$/, 'macos'],
  [/\.(appimage|appimage\.tar\.gz|deb|rpm|snap|flatpak|pacman|apk)$/, 'linux'],
];

function platformOf(name: string): Platform | undefined {
  const byEnding = endings.find(([ending]) => ending.test(name));
  if (byEnding) return byEnding[1];
  if (has(name, 'mac', 'macos', 'darwin', 'osx')) return 'macos';
  if (has(name, 'win', 'win32', 'win64', 'windows')) return 'windows';
  return has(name, 'linux') ? 'linux' : undefined;
}

function archOf(name: string): Architecture | 'unsupported' | undefined {
  if (has(name, 'universal', 'universal2')) return 'universal';
  if (has(name, 'armv7l', 'armhf', 'armv6l', 'riscv64', 'ppc64le', 's390x')) return 'unsupported';
  if (has(name, 'arm64', 'aarch64')) return 'arm64';
  if (has(name, 'x64', 'amd64', 'win64')) return 'x64';
  return has(name, 'ia32', 'i386', 'i686', 'x86', 'win32') ? 'ia32' : undefined;
}

/** The platform and architecture of a file; undefined if the name of the file doesn't show them. */
export function targetOf(filename: string): Target | undefined {
  const name = filename.toLowerCase().replace(/\.blockmap$/, '');
  const [platform, arch] = [platformOf(name), archOf(name)];
  if (platform === undefined || arch === 'unsupported') return undefined;
  if (arch !== undefined) return { platform, arch };
  // electron-builder omits the architecture x64 from file names. Tauri omits every architecture from the names of macOS apps.
  return /\.app\.(tar\.gz|zip)$/.test(name) ? undefined : { platform, arch: 'x64' };
}
