import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Has npm fetch packages that one rare check needs and no install should pay for.
 *
 * @param packages with exact versions
 * @returns the folder that they are installed in
 */
export function npmTool(...packages: readonly [string, ...string[]]): string {
  const folder = resolve(__dirname, '../../node_modules/.cache', packages[0].replaceAll('/', '+'));
  mkdirSync(folder, { recursive: true });
  execFileSync(
    'npm',
    ['install', '--prefix', folder, '--no-save', '--prefer-offline', '--ignore-scripts', '--loglevel', 'error', ...packages],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      // On Windows npm is a script, which only a shell runs.
      shell: process.platform === 'win32',
    },
  );
  return join(folder, 'node_modules');
}
