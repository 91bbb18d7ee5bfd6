import { buildSync } from 'esbuild';
import { join, resolve } from 'node:path';

/**
 * Compiles the TypeScript client's command-line sample (client/example/app.ts) into a folder, once for many runs. @returns its file, for
 * Node
 */
export function compileExample(folder: string): string {
  const file = join(folder, 'example-in-typescript.cjs');
  // By the root's tsconfig.json, whose paths lead to the sources of the client.
  buildSync({
    absWorkingDir: resolve(__dirname, '../..'),
    tsconfig: 'tsconfig.json',
    entryPoints: ['client/example/app.ts'],
    outfile: file,
    bundle: true,
    platform: 'node',
  });
  return file;
}
