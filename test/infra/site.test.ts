import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { de } from '../../admin-site/src/texts/de';
import { cacheControl, contentSecurityPolicy } from '../../infra/page-headers';
import { buildSite } from '../../infra/site';
import { endpoints } from '../../lambdas/contract';

const site = buildSite();
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
const text = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');
/** The files that a page's HTML names, which therefore load first. */
const named = (page: keyof typeof site): string[] =>
  [...text(site[page], 'index.html').matchAll(/(?:src|href)="(\/[^"]*)"/g)]
    .map(([, url]) => url ?? '')
    .filter((url) => url.includes('/assets/'))
    .map((url) => url.slice(`/${page}/`.length))
    .sort();
const compressed = (folder: string, paths: readonly string[]): number =>
  ['index.html', ...paths].reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path))).length, 0);
const others = (page: keyof typeof site): string[] =>
  filesIn(site[page]).filter((path) => path !== 'index.html' && !named(page).includes(path));
/** The scripts that a script loads on demand. */
const importedBy = (scripts: readonly string[]): string[] =>
  scripts.flatMap((path) => [...text(site.admin, path).matchAll(/\bimport\("\.\/([^"]+)"\)/g)].map(([, name]) => `assets/${name}`));

test('the first page of the admin page loads at most 200 KB, compressed', () =>
  expect(compressed(site.admin, named('admin'))).toBeLessThanOrEqual(200_000));

test('the first page of the admin page in English loads no other language', () => {
  const german = de['Signed in with {name}'] as string;
  const withGerman = (paths: readonly string[]): string[] => paths.filter((path) => text(site.admin, path).includes(german));
  expect(withGerman(named('admin'))).toEqual([]);
  expect(withGerman(others('admin'))).toHaveLength(1);
});

test('the admin page loads less than 320 KB in all languages, compressed, without the code for importing a file', () => {
  const scripts = importedBy(named('admin')).filter((path) => !named('admin').includes(path));
  // `onDemand` contains the scripts of the other pages, and the German texts.
  expect(scripts).toHaveLength(2);
  expect(compressed(site.admin, [...named('admin'), ...scripts])).toBeLessThan(320_000);
});

test('the portal loads at most 60 KB, compressed, in all languages', () =>
  expect(compressed(site.portal, named('portal'))).toBeLessThanOrEqual(60_000));

describe.each(['admin', 'docs', 'portal'] as const)('the built site %s', (name) => {
  const folder = site[name];
  const page = text(folder, 'index.html');

  test('all files that the page names exist, and their addresses work with and without a slash at the end', () => {
    expect(filesIn(folder)).toEqual(expect.arrayContaining(named(name)));
    expect(named(name)).toContainEqual(expect.stringMatching(/\.js$/));
    expect(named(name).filter((path) => path.endsWith('.css'))).toHaveLength(1);
    if (name !== 'admin') expect(others(name)).toEqual([]);
  });

  test('the page has no inline script or style, because its content security policy would refuse it', () => {
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
    const policy = contentSecurityPolicy('https://files.example.com');
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(policy.match(/https?:[^\s;]+/g)).toEqual(['https://files.example.com']);
  });

  test('the page loads nothing from other origins', () => {
    for (const path of filesIn(folder).filter((file) => file.endsWith('.css')))
      expect(text(folder, path)).not.toMatch(/@import|url\(\s*["']?(?:https?:)?\/\//);
  });

  test('browsers keep files whose names depend on their content, and revalidate all other files', () => {
    for (const path of filesIn(folder)) expect(cacheControl(`/${name}/${path}`)).toMatch(path === 'index.html' ? /no-cache/ : /immutable/);
    for (const path of filesIn(folder).filter((file) => file !== 'index.html'))
      expect(path).toMatch(/^assets\/\w+-([0-9a-f]{12}|[0-9A-Z]{8})\.(js|css)$/);
  });
});

test('the same sources always build the same files, so a deployment without a change changes nothing', () => {
  const again = buildSite();
  for (const name of ['admin', 'docs', 'portal'] as const) expect(filesIn(again[name])).toEqual(filesIn(site[name]));
});

test('the pages contain the routes of the contract table, but nothing else of the contract', () => {
  const code = [...named('admin'), ...importedBy(named('admin'))].map((path) => text(site.admin, path)).join('\n');
  for (const { path } of endpoints) expect(code).toContain(JSON.stringify(path));
  // The pages contain no schema library and no examples of the contract.
  expect(code).not.toMatch(/ZodError|encryptionKey|9M0RP-TTE3D/);
});

test('all scripts except those of the first page are loaded on demand, from existing addresses', () => {
  const later = importedBy(named('admin'));
  const onDemand = [...later, ...importedBy(later)];
  const imported = [...named('admin'), ...onDemand].flatMap((path) =>
    [...text(site.admin, path).matchAll(/\bfrom"\.\/([^"]+)"/g)].map(([, file]) => `assets/${file}`),
  );
  expect(new Set([...named('admin').filter((path) => path.endsWith('.js')), ...onDemand, ...imported])).toEqual(
    new Set(filesIn(site.admin).filter((path) => path.endsWith('.js'))),
  );
});

test('every Mantine component of the admin page has its styles: without them, a check mark was as large as its dialog', () => {
  const mantine = 'node_modules/@mantine/core';
  const components = new Set(
    filesIn('admin-site/src')
      .filter((path) => path.endsWith('.tsx'))
      .flatMap((path) => [...text('admin-site/src', path).matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)])
      .flatMap(([, names = '']) => names.match(/\b[A-Z]\w+/g) ?? []),
  );
  const classes = (source: string): string[] => source.match(/\bm_[0-9a-f]+\b/g) ?? [];
  const styled = new Set(classes(text(mantine, 'styles.css')));
  const present = new Set(filesIn(site.admin).flatMap((path) => (path.endsWith('.css') ? classes(text(site.admin, path)) : [])));
  /** The classes of a component that Mantine has styles for; the module with its classes is next to the component. */
  const classesOf = (name: string): string[] => {
    const path = join('esm/components', name, `${name}.module.mjs`);
    return existsSync(join(mantine, path)) ? classes(text(mantine, path)).filter((one) => styled.has(one)) : [];
  };
  expect(classesOf('Checkbox')).not.toEqual([]);
  expect([...components].filter((name) => classesOf(name).some((one) => !present.has(one)))).toEqual([]);
});
