import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Compiles the files `app.mts` and `app.cts` of a project in which a package is installed. TypeScript's own libraries are not checked,
 * because that takes seconds.
 *
 * @returns the errors that TypeScript reports; empty if there are none
 */
export async function typeErrors(project: string): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    skipDefaultLibCheck: true,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.mts', 'app.cts'] }));
  return promisify(execFile)(process.execPath, [require.resolve('typescript/bin/tsc')], { cwd: project }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}
