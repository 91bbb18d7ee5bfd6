/**
 * `npm run build --workspace @license-key-service/client`: builds the package's files as they are published. Each entry point becomes an ES
 * module and a CommonJS module, each with types. The package in `client/admin` is built in the same way.
 */
import { buildSync } from 'esbuild';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const declaration = /\.d\.ts$/;

/** Writes the modules. In each format, an entry point becomes one file with a source map. Dependencies are not bundled. */
function buildScripts(folder: string, entryPoints: readonly string[], outdir: string): void {
  for (const [format, extension] of [
    ['esm', '.mjs'],
    ['cjs', '.js'],
  ] as const) {
    buildSync({
      absWorkingDir: folder,
      entryPoints: entryPoints.map((entry) => ({ in: `src/${entry}.ts`, out: entry })),
      outdir,
      bundle: true,
      packages: 'external',
      format,
      outExtension: { '.js': extension },
      // The output keeps private names (`#name`), because an app's minifier can shorten them. The output may use recent
      // syntax, because the app's bundler translates syntax that the app's platform does not know.
      target: 'es2022',
      sourcemap: true,
      logLevel: 'warning',
    });
  }
}

/** Writes the compiler's type declarations. Their relative imports get the file extensions that Node's module resolution requires. */
function buildTypes(folder: string, outdir: string): void {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(folder, 'tsconfig.json'),
    { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: outdir },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
        throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
      },
    },
  );
  if (!config) throw new Error('The configuration for building the types could not be read');
  const program = ts.createProgram(config.fileNames, config.options);
  const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  if (problems.length > 0)
    throw new Error(
      ts.formatDiagnostics(problems, {
        getCanonicalFileName: (name) => name,
        getCurrentDirectory: () => folder,
        getNewLine: () => '\n',
      }),
    );

  const withExtension = (text: string, extension: string): string => text.replace(/(?<=from ')(\.{1,2}\/[^']+)(?=')/g, `$1${extension}`);
  for (const file of readdirSync(outdir, { recursive: true, encoding: 'utf8' }).filter((name) => declaration.test(name))) {
    const path = join(outdir, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path.replace(declaration, '.d.mts'), withExtension(text, '.mjs'));
    writeFileSync(path, withExtension(text, '.js'));
  }
}

/** Builds the package in a folder; its sources are in the subfolder `src`. */
export function buildPackage(folder: string, entryPoints: readonly string[], outdir: string): void {
  rmSync(outdir, { recursive: true, force: true });
  buildScripts(folder, entryPoints, outdir);
  buildTypes(folder, outdir);
}

/** Builds the client's package into a folder. */
export const build = (outdir: string): void =>
  buildPackage(__dirname, ['index', 'fallback/index', 'node/index', 'browser/index', 'react/index'], outdir);

if (require.main === module) build(join(__dirname, 'dist'));
