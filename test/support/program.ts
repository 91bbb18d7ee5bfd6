import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { kept } from '../../infra/kept';
import { temporaryFolder } from '../../infra/temporary-folder';
import { root } from './repository';

/** Bundles the command line into a folder below `parent`. */
function build(parent: string): string {
  const folder = temporaryFolder('lks-cli-', parent);
  const script = `void require('./infra/program').bundleProgram('bin/cli.ts', ${JSON.stringify(join(folder, 'cli.js'))})`;
  execFileSync(process.execPath, ['--require', 'tsx/cjs', '--eval', script], { cwd: root });
  return folder;
}

/**
 * Returns the path of the bundled command line, which Node can run. Compiling its modules at each start would take longer than most runs.
 * The bundle is cached until a source file changes.
 */
export const bundledCli = (): string =>
  join(kept({ name: 'cli', sources: ['bin', 'infra', 'lambdas', 'client/admin/src'], build }), 'cli.js');
