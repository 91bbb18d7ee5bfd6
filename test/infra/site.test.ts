import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSite, cacheControl, contentSecurityPolicy } from '../../infra/site';
import { endpoints } from '../../lambdas/contract';

const site = buildSite();
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
const text = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');
const compressed = (folder: string): number =>
  filesIn(folder).reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path))).length, 0);

/** Loaded by the admin page when an operator imports a file. */
const isOnDemand = (path: string): boolean => path.startsWith('assets/checks-');

test('the admin page loads less than 300 KB, compressed', () => expect(compressed(site.admin)).toBeLessThan(300_000));

test('the portal loads at most 60 KB, compressed, in all languages', () => expect(compressed(site.portal)).toBeLessThanOrEqual(60_000));

describe.each(['admin', 'docs', 'portal'] as const)('/%s', (name) => {
  const folder = site[name];
  const page = text(folder, 'index.html');

  test('names only files that are there, by addresses that work with and without a slash at the end', () => {
    const named = [...page.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, url]) => url ?? '').filter((url) => url.includes('/assets/'));
    expect(named.map((url) => url.slice(`/${name}/`.length)).sort()).toEqual(
      filesIn(folder).filter((path) => path !== 'index.html' && !isOnDemand(path)),
    );
    expect(named.length).toBe(2);
  });

  test('has no inline script or style, which its policy refuses', () => {
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
    const policy = contentSecurityPolicy('https://files.example.com');
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(policy.match(/https?:[^\s;]+/g)).toEqual(['https://files.example.com']);
  });

  test('loads nothing from elsewhere', () => {
    for (const path of filesIn(folder).filter((file) => file.endsWith('.css')))
      expect(text(folder, path)).not.toMatch(/@import|url\(\s*["']?(?:https?:)?\/\//);
  });

  test('is kept for good where the name tells the content, and looked at again where it does not', () => {
    for (const path of filesIn(folder)) expect(cacheControl(`/${name}/${path}`)).toMatch(path === 'index.html' ? /no-cache/ : /immutable/);
    for (const path of filesIn(folder).filter((file) => file !== 'index.html'))
      expect(path).toMatch(/^assets\/\w+-[0-9a-f]{12}\.(js|css)$/);
  });
});

test('the same sources make the same files, so that a deployment without a change changes nothing', () => {
  const again = buildSite();
  for (const name of ['admin', 'docs', 'portal'] as const) expect(filesIn(again[name])).toEqual(filesIn(site[name]));
});

test('the client knows the routes of the contract table and nothing else of it', () => {
  const [script = ''] = filesIn(site.admin).filter((path) => path.endsWith('.js'));
  const code = text(site.admin, script);
  for (const { path } of endpoints) expect(code).toContain(JSON.stringify(path));
  // No schema library, and no examples.
  expect(code).not.toMatch(/ZodError|encryptionKey|9M0RP-TTE3D/);
});

test('what checks a file to import is loaded on demand, from where it is', () => {
  const [checks = '', ...more] = filesIn(site.admin).filter(isOnDemand);
  expect(more).toEqual([]);
  const [script = ''] = filesIn(site.admin).filter((path) => path.endsWith('.js'));
  expect(text(site.admin, script)).toContain(`import("/admin/${checks}")`);
});
