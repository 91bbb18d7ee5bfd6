import { buildSync } from 'esbuild';
import { join } from 'node:path';

const sources = new Map<string, string>();

/** A file of this folder, with all that it imports, as JavaScript: it runs in a thread or process that has no loader for TypeScript. */
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
