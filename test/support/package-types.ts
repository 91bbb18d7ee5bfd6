import { join } from 'node:path';
import ts from 'typescript';

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
