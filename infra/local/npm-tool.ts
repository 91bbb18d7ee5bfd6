import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../root';

/**
 * Installs the packages of a check that rarely runs. The packages are not in `package.json`, so `npm ci` does not install them.
 *
 * @param packages the names of the packages with exact versions
 * @returns the folder that contains the installed packages
 */
export function npmTool(...packages: readonly [string, ...string[]]): string {
  const folder = join(cacheFolder, packages[0].replaceAll('/', '+'));
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
