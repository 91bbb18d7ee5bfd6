import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { root } from './repository';

/**
 * Compiles the files `app.mts` and `app.cts` of a project in which a package is installed. TypeScript's own libraries are not checked,
 * because that takes seconds. The compiler runs in this process, because building the package has already loaded it here.
 *
 * @returns the errors that TypeScript reports; empty if there are none
 */
export function typeErrors(project: string): string {
  const program = ts.createProgram(
    ['app.mts', 'app.cts'].map((file) => join(project, file)),
    {
      strict: true,
      noEmit: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      types: [],
      skipDefaultLibCheck: true,
    },
  );
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => project,
    getNewLine: () => '\n',
  });
}

/** Checks an installed package with publint, and returns its output. It contains `All good!` if there is no problem. */
export async function publint(installed: string): Promise<string> {
  const args = [join(root, 'node_modules/publint/src/cli.js'), installed, '--strict', '--pack', 'false'];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
  return stdout;
}
