import { buildSync } from 'esbuild';
import { join } from 'node:path';

const sources = new Map<string, string>();

/**
 * Bundles a TypeScript file of this folder with its imports as JavaScript, because threads and processes of the local run have no
 * TypeScript loader.
 */
export function bundled(file: string): string {
  let source = sources.get(file);
  if (source === undefined) {
    const { outputFiles } = buildSync({
      entryPoints: [join(__dirname, file)],
      bundle: true,
      write: false,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
    });
    source = outputFiles[0]!.text;
    sources.set(file, source);
  }
  return source;
}
