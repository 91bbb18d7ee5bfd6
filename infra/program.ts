import { build, type Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { computeOpenapiJson } from '../lambdas/runtime/openapi-text';

const root = resolve(__dirname, '..');

/**
 * Lets esbuild find the modules that are loaded by a computed name: the commands and the handlers, which are loaded when they are first
 * used. esbuild bundles a `require` of a template text with every module that the text can name.
 */
const computedNames: Plugin = {
  name: 'computed-names',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/](bin[\\/]cli|infra[\\/]local[\\/](api|workers))\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/\bload\(`([^`]+)`\)/, (_call, name: string) => `require(\`${name}.ts\`)`),
      loader: 'ts',
    })),
};

/** Packages that are not in the bundle: the emulator's program, and the CDK, which the first deployment fetches. */
const external = ['@dynoxide/*', 'aws-cdk-lib', 'constructs', 'cdk-nag', 'esbuild'];

/**
 * Bundles a program of `bin` into one file.
 *
 * @param outfile the path of the bundle
 * @param options.isPackage whether the program is for the npm package (`root.ts`)
 */
export async function bundleProgram(entry: string, outfile: string, { isPackage = false } = {}): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    external,
    plugins: [computedNames],
    logLevel: 'warning',
    define: { OPENAPI_JSON: JSON.stringify(computeOpenapiJson()), ...(isPackage && { IS_PACKAGE: 'true' }) },
    minify: isPackage,
    legalComments: isPackage ? 'linked' : 'none',
  });
}
