import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { version } from '../../package.json';
import { root } from './repository';

/** Runs npm with only messages of errors. */
const npm = (cwd: string, ...args: string[]) =>
  promisify(execFile)('npm', [...args, '--prefer-offline', '--loglevel', 'error'], { cwd, timeout: 600_000, maxBuffer: 2 ** 26 });

/**
 * Builds the tarball of this checkout, and installs it in a new folder.
 *
 * @returns the path of the command line
 */
export async function installPackage(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  await npm(root, 'pack', '--pack-destination', folder);
  await npm(folder, 'init', '--yes');
  await npm(folder, 'install', '--no-audit', '--no-fund', `./license-key-service-${version}.tgz`);
  return join(folder, 'node_modules/license-key-service/dist/bin/cli.js');
}
