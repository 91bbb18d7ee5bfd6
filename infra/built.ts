import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { root } from './root';
import type { Site } from './site';
import { temporaryFolder } from './temporary-folder';

/** The built functions and pages in the npm package. */

const FUNCTIONS = 'functions.json.br';
const PAGES = 'site';

/** For each source file of a function: the texts of the files in its bundle. */
type Functions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Writes the bundles of all functions into one file. All bundles contain the same packages. Brotli finds these repetitions, because its
 * window is larger than a bundle, so the file has a thirtieth of the bundles' size.
 */
export function writeFunctions(bundles: ReadonlyMap<string, string>, folder: string): void {
  const functions: Functions = Object.fromEntries(
    [...bundles].map(([source, bundle]) => [
      source,
      Object.fromEntries(readdirSync(bundle).map((name) => [name, readFileSync(join(bundle, name), 'utf8')])),
    ]),
  );
  const text = Buffer.from(JSON.stringify(functions));
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    // Higher qualities take ten times as long for a tenth of the size.
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  writeFileSync(join(folder, FUNCTIONS), brotliCompressSync(text, { params }));
}

/** Unpacks the bundles of all functions. Their folders are deleted when the process ends. */
export function readFunctions(): ReadonlyMap<string, string> {
  const functions = JSON.parse(brotliDecompressSync(readFileSync(join(root, FUNCTIONS))).toString()) as Functions;
  const target = temporaryFolder('lks-bundles-');
  return new Map(
    Object.entries(functions).map(([source, files]) => {
      const folder = join(target, source.replace(/\.ts$/, ''));
      mkdirSync(folder, { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      return [source, folder];
    }),
  );
}

const pagesIn = (folder: string): Site => ({ admin: join(folder, 'admin'), docs: join(folder, 'docs'), portal: join(folder, 'portal') });

/** The folder that contains the folders of {@link builtPages}. */
export const pagesFolder = (folder = root): string => join(folder, PAGES);

export const builtPages = (): Site => pagesIn(pagesFolder());
