import { buildSync } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from './repository';

/**
 * Bundles a program of the repository, such as `bin/smoke.ts`, into a file that Node can run. Compiling the program's modules at each start
 * takes longer than most runs. The file is deleted after the tests of the current test file.
 */
export function bundledProgram(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'lks-program-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const outfile = join(folder, `${basename(source, '.ts')}.js`);
  buildSync({ absWorkingDir: root, entryPoints: [source], outfile, bundle: true, platform: 'node', target: 'node20' });
  return outfile;
}
