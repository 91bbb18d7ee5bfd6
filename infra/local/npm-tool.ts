import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../root';

/** The names of packages with exact versions. */
type Packages = readonly [string, ...string[]];

const folderOf = ([first]: Packages): string => join(cacheFolder, first.replaceAll('/', '+'));

/** Returns the folder that contains the installed packages, or undefined if a package is not installed in its version. */
export function installedTool(...packages: Packages): string | undefined {
  const modules = join(folderOf(packages), 'node_modules');
  // npm writes this file at the end of an installation.
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return undefined;
  const installed = (JSON.parse(readFileSync(record, 'utf8')) as { packages: Readonly<Record<string, { version: string }>> }).packages;
  const isInstalled = (name: string): boolean => {
    const at = name.lastIndexOf('@');
    return installed[`node_modules/${name.slice(0, at)}`]?.version === name.slice(at + 1);
  };
  return packages.every(isInstalled) ? modules : undefined;
}

/**
 * Installs packages that are rarely needed, unless they are installed. The packages are not in `package.json`, so `npm ci` does not install
 * them.
 *
 * @returns the folder that contains the installed packages
 */
export function npmTool(...packages: Packages): string {
  const installed = installedTool(...packages);
  if (installed !== undefined) return installed;
  const folder = folderOf(packages);
  mkdirSync(folder, { recursive: true });
  execFileSync(
    'npm',
    ['install', '--prefix', folder, '--no-save', '--prefer-offline', '--ignore-scripts', '--loglevel', 'error', ...packages],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      // On Windows npm is a script, and only a shell can run it.
      shell: process.platform === 'win32',
    },
  );
  return join(folder, 'node_modules');
}
