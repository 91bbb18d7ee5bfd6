import { buildSync, type BuildOptions } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { kept } from './kept';
import { siteValues } from './site-values';
import { temporaryFolder } from './temporary-folder';

const root = resolve(__dirname, '..');

/** The static sites, each a folder with an `index.html` and, under `assets/`, files whose names change with their content. */
export interface Site {
  /** The folder served at `/admin` and below. */
  readonly admin: string;
  /** The folder served at `/docs` and below. */
  readonly docs: string;
  /** The folder served at `/portal/{slug}`: the same page for every product. */
  readonly portal: string;
}

/** The entry point of the admin page. */
const ADMIN = 'admin-site/src/start.ts';
/** The module that the entry point imports as soon as the language is known. */
const ADMIN_MAIN = 'admin-site/src/main.tsx';

interface Asset {
  readonly name: string;
  readonly content: Uint8Array;
}

/** Adds a hash of the content to the name of a file: `app.js` becomes `app-5f1c0a9e3b7d.js`. */
function hashed(name: string, content: Uint8Array): Asset {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const extension = extname(name);
  return { name: `${basename(name, extension)}-${hash}${extension}`, content };
}

const common = {
  absWorkingDir: root,
  outdir: join(root, 'build'),
  write: false,
  bundle: true,
  minify: true,
  platform: 'browser',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  jsx: 'automatic',
  // Browsers do not have Node's module.
  alias: { 'node:url': './admin-site/src/node-url.ts' },
  tsconfigRaw: { compilerOptions: { jsx: 'react-jsx' } },
  define: {
    'process.env.NODE_ENV': '"production"',
    ...Object.fromEntries(Object.entries(siteValues).map(([name, value]) => [name, JSON.stringify(value)])),
  },
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Bundles one entry point; its styles become a separate file. */
function bundle(entry: string, name: string): Asset[] {
  const { outputFiles } = buildSync({ ...common, entryPoints: [{ in: entry, out: name }], format: 'iife' });
  return outputFiles.map(({ path, contents }) => hashed(basename(path), contents));
}

/**
 * Bundles the admin page. `first` contains the files that the first page needs. `onDemand` contains the scripts of other pages and
 * languages, which the browser loads when they are needed. esbuild puts the styles of all pages into the entry point's styles.
 */
function bundleAdmin(): { readonly first: Asset[]; readonly onDemand: Asset[] } {
  const { outputFiles, metafile } = buildSync({
    ...common,
    entryPoints: [ADMIN],
    entryNames: 'admin-[hash]',
    chunkNames: 'page-[hash]',
    format: 'esm',
    splitting: true,
    metafile: true,
  });
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const outputOf = (source: string) => [...outputs].find(([, { entryPoint }]) => entryPoint === source) ?? [];
  const [script = '', { cssBundle = '' } = {}] = outputOf(ADMIN);
  const [main = ''] = outputOf(ADMIN_MAIN);
  const needed = new Set([script, main, basename(cssBundle)]);
  for (const name of needed)
    for (const { path, kind } of outputs.get(name)?.imports ?? []) if (kind === 'import-statement') needed.add(basename(path));
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const assetsOf = (names: Iterable<string>): Asset[] =>
    [...names].flatMap((name) => {
      const content = files.get(name);
      return content ? [{ name, content }] : [];
    });
  return {
    first: assetsOf(needed),
    onDemand: assetsOf([...files.keys()].filter((name) => !needed.has(name) && name.endsWith('.js'))),
  };
}

/**
 * Writes the files of a site into a folder. The page gets a `<link>` or `<script>` for each asset in place of `<!-- assets -->`.
 *
 * @param onDemand scripts that the page loads when it needs them; they get no tag. With this parameter, the first of `assets` must be a
 * module that imports the other scripts of `assets`. The page preloads these other scripts.
 */
function write(folder: string, base: string, page: string, assets: readonly Asset[], onDemand?: readonly Asset[]): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  for (const { name, content } of [...assets, ...(onDemand ?? [])]) writeFileSync(join(folder, 'assets', name), content);
  const tags = assets.map(({ name }, place) => {
    const url = `${base}/assets/${name}`;
    if (name.endsWith('.css')) return `<link rel="stylesheet" href="${url}">`;
    if (!onDemand) return `<script defer src="${url}"></script>`;
    return place === 0 ? `<script type="module" src="${url}"></script>` : `<link rel="modulepreload" href="${url}">`;
  });
  const html = readFileSync(join(root, page), 'utf8').replace('<!-- assets -->', tags.join('\n    '));
  writeFileSync(join(folder, 'index.html'), html);
}

/** Builds the admin page, the documentation page and the portal in a new folder, which is deleted when the process ends. */
function build(parent?: string): string {
  const target = temporaryFolder('lks-site-', parent);
  const { first, onDemand } = bundleAdmin();
  write(join(target, 'admin'), '/admin', 'admin-site/index.html', first, onDemand);
  write(join(target, 'docs'), '/docs', 'admin-site/docs/index.html', bundle('admin-site/docs/main.tsx', 'docs'));
  write(join(target, 'portal'), '/portal', 'admin-site/portal/index.html', bundle('admin-site/portal/main.tsx', 'portal'));
  return target;
}

const siteIn = (folder: string): Site => ({ admin: join(folder, 'admin'), docs: join(folder, 'docs'), portal: join(folder, 'portal') });

/** Builds the admin page, the documentation page and the portal. The folders are deleted when the process ends. */
export const buildSite = (): Site => siteIn(build());

/** The files and folders that affect the pages. */
export const siteSources: readonly string[] = ['admin-site', 'client/src', 'lambdas', 'infra/site.ts', 'infra/site-values.ts'];

/** Builds the pages for a local run, which caches them (see kept.ts). Returns the folder that contains the folders of {@link Site}. */
export const keptFolder = (): string => kept({ name: 'site', sources: siteSources, build });
