import { buildSync } from 'esbuild';
import { join, resolve } from 'node:path';

/**
 * Compiles the TypeScript client's command-line sample (client/example/app.ts) into a folder, once for many runs. @returns the compiled
 * file, which Node can run
 */
export function compileExample(folder: string): string {
  const file = join(folder, 'example-in-typescript.cjs');
  // The root's tsconfig.json maps the client's package names to its sources.
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
