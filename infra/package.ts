/**
 * `npm pack` runs this program first (`prepack` in package.json). It builds everything that the npm package contains into `dist`: the
 * command line, the CDK app, the functions and the pages. The package has no dependency but the database emulator of the local run.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundle } from './bundle';
import { pagesFolder, writeFunctions } from './built';
import { bundleProgram } from './program';
import { root } from './root';
import { functionSources } from './service-stack';
import { buildSite } from './site';

const dist = join(root, 'dist');

/** Files that the programs read. */
const FILES = ['cdk.json', 'infra/viewer-request.js'];

async function buildPackage(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  for (const file of FILES) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    cpSync(join(root, file), join(dist, file));
  }
  for (const [name, folder] of Object.entries(buildSite())) cpSync(String(folder), join(pagesFolder(dist), name), { recursive: true });
  writeFunctions(bundle(functionSources, { sourceMaps: true }), dist);
  for (const program of ['cli', 'packaged-app'])
    await bundleProgram(`bin/${program}.ts`, join(dist, `bin/${program}.js`), { isPackage: true });
}

void buildPackage();
