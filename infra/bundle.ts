import { buildSync, type BuildOptions } from 'esbuild';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { computeOpenapiJson } from '../lambdas/runtime/openapi-text';
import { temporaryFolder } from './temporary-folder';

const root = resolve(__dirname, '..');

/**
 * Replaces the SDK's chain of credential providers. A function gets its credentials from its environment variables and needs no other source
 * of this chain, such as SSO, instance metadata or configuration files, which take milliseconds to load at every cold start.
 */
const substitutes = {
  '@aws-sdk/credential-provider-node': './lambdas/runtime/aws/credential-provider.ts',
};

/** The settings of esbuild for a function. */
const functionBuild = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  mainFields: ['module', 'main'],
  alias: substitutes,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * Builds all bundles in one run of esbuild, because one run per function would take ten times as long. The bundles are in a new folder,
 * which is deleted when the process ends.
 *
 * @param folder the parent of the new folder
 * @returns the path of the new folder
 */
function build(entries: readonly string[], sourceMaps: boolean, folder: string): string {
  // esbuild writes nothing to this folder. Its fixed name makes source maps and asset hashes the same on every computer.
  const outdir = join(root, 'build');
  const { outputFiles } = buildSync({
    ...functionBuild,
    define: { OPENAPI_JSON: JSON.stringify(computeOpenapiJson()) },
    entryPoints: entries.map((entry) => ({ in: entry, out: `${entry.replace(/\.ts$/, '')}/index` })),
    outdir,
    write: false,
    sourcemap: sourceMaps,
  });

  const target = temporaryFolder('lks-bundles-', folder);
  for (const file of outputFiles) {
    const path = join(target, relative(outdir, file.path));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.contents);
  }
  return target;
}

/** Maps each entry to the folder that contains its bundle. */
const inFolder = (target: string, entries: readonly string[]): ReadonlyMap<string, string> =>
  new Map(entries.map((entry) => [entry, join(target, dirname(entry), basename(entry, '.ts'))]));

/**
 * Bundles each handler into a separate folder. The bundle includes the AWS SDK, because a function starts faster with a bundled SDK than
 * with the runtime's copy.
 *
 * @param entries source files relative to the repository's root
 * @param options.sourceMaps whether to create source maps. Creating them takes two thirds of the bundling time and does not change the
 * bundled code.
 * @returns the folder of each entry's `index.js`. The folders are deleted when the process ends.
 */
export const bundle = (entries: readonly string[], { sourceMaps }: { sourceMaps: boolean }): ReadonlyMap<string, string> =>
  inFolder(build(entries, sourceMaps, tmpdir()), entries);
