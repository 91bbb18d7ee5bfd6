import { buildSync } from 'esbuild';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';

const root = resolve(__dirname, '..');

/**
 * In one esbuild run: a spawned esbuild per function takes ten times as long.
 *
 * @param folder in which a folder is made for all bundles, which vanishes with the process
 * @returns that folder
 */
function build(entries: readonly string[], sourceMaps: boolean, folder: string): string {
  // A fixed output folder, never written to, keeps the source maps and so the asset hashes the
  // same on every machine.
  const outdir = join(root, 'build');
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => ({ in: entry, out: `${entry.replace(/\.ts$/, '')}/index` })),
    outdir,
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    // A function has its credentials in its environment. The SDK's default chain also knows SSO, instance
    // metadata and configuration files: a fifth of the bundle, and never used.
    alias: { '@aws-sdk/credential-provider-node': './lambdas/runtime/credential-provider.ts' },
    sourcemap: sourceMaps,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  });

  const target = mkdtempSync(join(folder, 'lks-bundles-'));
  process.once('exit', () => rmSync(target, { recursive: true, force: true }));
  for (const file of outputFiles) {
    const path = join(target, relative(outdir, file.path));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.contents);
  }
  return target;
}

/** For each entry the folder of its bundle. */
const inFolder = (target: string, entries: readonly string[]): ReadonlyMap<string, string> =>
  new Map(entries.map((entry) => [entry, join(target, dirname(entry), basename(entry, '.ts'))]));

/**
 * Bundles every handler, each into a folder of its own. The SDK is bundled too: that starts faster than the runtime's copy.
 *
 * @param entries source files relative to the repository's root
 * @param options.sourceMaps they take two thirds of the time; the code is the same without them
 * @returns for each entry the folder that holds its `index.js`; the folders vanish with the process
 */
export const bundle = (entries: readonly string[], { sourceMaps }: { sourceMaps: boolean }): ReadonlyMap<string, string> =>
  inFolder(build(entries, sourceMaps, tmpdir()), entries);

/**
 * The same without source maps, kept in `node_modules/.cache` until something changes that bundles are made of: most of
 * the time that a local run needs to start. What is deployed is always bundled anew.
 */
export function keptBundle(entries: readonly string[]): ReadonlyMap<string, string> {
  const hash = hashOfSources(root);
  const cache = join(root, 'node_modules/.cache/bundles');
  if (hash === undefined || !isWritable(cache)) return bundle(entries, { sourceMaps: false });
  const kept = join(cache, createHash('sha256').update(`${hash} ${entries.join()}`).digest('hex'));
  if (!existsSync(kept)) {
    const before = readdirSync(cache).filter((name) => /^[0-9a-f]{64}$/.test(name));
    const made = build(entries, false, cache);
    try {
      // Whole or not at all, also if another process does the same.
      renameSync(made, kept);
    } catch (error) {
      if (!existsSync(kept)) throw error;
    }
    for (const name of before) rmSync(join(cache, name), { recursive: true, force: true });
  }
  return inFolder(kept, entries);
}

/** Makes the folder if there is none. Packages may belong to another user than the one who runs the service. */
function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Of all that bundles are made of; undefined if there is no npm's record of the packages that are installed. */
export function hashOfSources(folder: string): string | undefined {
  const installed = 'node_modules/.package-lock.json';
  if (!existsSync(join(folder, installed))) return undefined;
  const sources = readdirSync(join(folder, 'lambdas'), { recursive: true, encoding: 'utf8' })
    .map((file) => join('lambdas', file))
    .filter((file) => statSync(join(folder, file)).isFile());
  const hash = createHash('sha256');
  for (const file of [...sources.sort(), 'infra/bundle.ts', 'package.json', 'tsconfig.json', installed]) {
    const content = readFileSync(join(folder, file));
    hash.update(`${file} ${content.length} `).update(content);
  }
  return hash.digest('hex');
}
