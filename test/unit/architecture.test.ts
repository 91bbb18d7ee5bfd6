import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sourceFiles } from '../support/sources';

/** `npm run lint` checks the other boundaries: the import directions in .dependency-cruiser.cjs, and pure code in .oxlintrc.json. */

const root = resolve(__dirname, '../..');
const files = sourceFiles(root, ['lambdas']);

test('pure code does not read the time, because its results would not be repeatable', () => {
  const pure = files.filter(({ path }) => /^lambdas\/(contract|domain)\//.test(path));
  expect(pure.length).toBeGreaterThan(0);
  expect(pure.filter(({ text }) => /\bnew Date(\(\)|;)|[^.\w`]Date\(\)/.test(text)).map(({ path }) => path)).toEqual([]);
});

test('functions import the SDK statically: otherwise esbuild would put shared modules into functions, and bundles would load more slowly', () => {
  const dynamic = files.filter(({ text }) => /\bimport\(\s*['"`]@aws-sdk/.test(text));
  expect(dynamic.map(({ path }) => path)).toEqual([]);
});

test('the unit tests of .ci/run run on the Node version of production', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const [, tested] = /@(\d+)\.\d+\.\d+ -- node/.exec(scripts['test:production-node'] ?? '') ?? [];
  const [, deployed] = /Runtime\.NODEJS_(\d+)_X/.exec(readFileSync(join(root, 'infra/function.ts'), 'utf8')) ?? [];
  expect(tested).toBe(deployed);
  expect(readFileSync(join(root, '.ci/checks.mjs'), 'utf8')).toContain('test:production-node');
});
