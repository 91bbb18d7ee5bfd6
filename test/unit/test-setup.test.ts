import { join } from 'node:path';
import { readdirSync, readFileSync } from 'node:fs';
import { exists, root, textFiles } from '../support/repository';

/** If one of these tests fails, test/README.md names wrong tests, or the tests no longer run on production's Node version. */

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const foldersIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []));
const paths = textFiles().map(({ path }) => path);

/** Reads the table of test/README.md whose header has this text. Maps the first cell of each row to its last cell. */
function table(heading: string): ReadonlyMap<string, string> {
  const [, after = ''] = read('test/README.md').split(`\n| ${heading} |`);
  const [rows = ''] = after.split('\n\n');
  return new Map([...rows.matchAll(/^\| `([^`]+)` \|.*?([^|]*)\|$/gm)].map(([, folder = '', last = '']) => [folder, last]));
}

test('test/README.md describes every folder with tests', () =>
  expect([...table('folder').keys()].map((folder) => `test/${folder.replace(/\/$/, '')}`)).toEqual(
    expect.arrayContaining(foldersIn('test')),
  ));

describe('which test to run', () => {
  const rows = table('changed');

  test('has a row for every folder with source code', () => {
    const sources = foldersIn('').filter((folder) => folder !== 'test' && paths.some((path) => path.startsWith(`${folder}/`)));
    expect([...rows.keys()]).toEqual(
      expect.arrayContaining([...sources.filter((folder) => folder !== 'lambdas'), ...foldersIn('lambdas')]),
    );
    for (const folder of rows.keys()) expect([folder, exists(folder)]).toEqual([folder, true]);
  });

  test.each([...rows])('names only existing tests for %s', (_folder, tests) => {
    const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    expect(named.filter((name) => !paths.some((path) => path.startsWith(name)))).toEqual([]);
  });
});

test('the unit tests of .ci/run run on the Node version of production', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const [, tested] = /@(\d+)\.\d+\.\d+ -- node/.exec(scripts['test:production-node'] ?? '') ?? [];
  const [, deployed] = /Runtime\.NODEJS_(\d+)_X/.exec(read('infra/function.ts')) ?? [];
  expect(tested).toBe(deployed);
  expect(read('.ci/run')).toContain('test:production-node');
});
