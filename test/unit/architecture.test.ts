import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { siteSources } from '../../infra/site';
import { cycles, rules, violations } from '../support/architecture';
import { importsOf, sourceFiles } from '../support/imports';

const root = resolve(__dirname, '../..');
const folders = ['bin', 'infra', 'lambdas', 'admin-site', 'client'].filter((folder) => existsSync(join(root, folder)));
const files = sourceFiles(root, folders);

describe('import directions of the design', () => {
  test('no file imports what its folder must not', () => expect(violations(files)).toEqual([]));

  test('no files import one another in a cycle, not even for types, so a reader can read each file before the files that import it', () =>
    expect(cycles([...files, ...sourceFiles(root, ['test/support'])])).toEqual([]));

  test('every folder with code is checked', () => {
    for (const folder of [
      'lambdas/contract',
      'lambdas/domain',
      'lambdas/store',
      'lambdas/runtime',
      'lambdas/use-cases',
      'lambdas/api',
      'infra',
      'infra/local',
      'bin',
    ]) {
      expect([folder, files.some(({ path }) => path.startsWith(`${folder}/`))]).toEqual([folder, true]);
      expect(rules.map((rule) => rule.folder)).toContain(folder);
    }
  });
});

// A local run uses the cached pages until one of their sources changes. If a change were not noticed, the local run would show old pages.
test('the pages of a local run consist only of the files that invalidate their cache', () => {
  const outside = files
    .filter(({ path }) => ['admin-site/', 'client/src/'].some((place) => path.startsWith(place)))
    .flatMap((file) => importsOf(file).flatMap(({ module, typeOnly }) => (typeOnly ? [] : [module])))
    .filter((module) => folders.some((folder) => module.startsWith(`${folder}/`)))
    .filter((module) => !siteSources.some((source) => module.startsWith(`${source}/`)));
  expect(outside).toEqual([]);
});

test('functions import the SDK statically: otherwise esbuild would put shared modules into functions, and bundles would load more slowly', () => {
  const dynamic = files.filter(({ path, text }) => path.startsWith('lambdas/') && /\bimport\(\s*['"`]@aws-sdk/.test(text));
  expect(dynamic.map(({ path }) => path)).toEqual([]);
});

describe('the check itself', () => {
  const check = (path: string, text: string): readonly string[] => violations([{ path, text }]);

  test.each<[string, string, string]>([
    ['lambdas/contract/a.ts', "import { sign } from 'node:crypto';", 'node:crypto'],
    ['lambdas/contract/a.ts', "import { x } from '../domain/x';", 'lambdas/domain/x'],
    ['lambdas/contract/a.ts', "import type { x } from '../domain/x';", 'lambdas/domain/x (types)'],
    ['lambdas/domain/a.ts', "import { x } from '../store/keys';", 'lambdas/store/keys'],
    ['lambdas/domain/a.ts', "import { gzipSync } from 'node:zlib';", 'node:zlib'],
    ['lambdas/domain/a.ts', "import { sign } from 'crypto';", 'crypto'],
    ['lambdas/domain/a.ts', "import * as z from 'nodemailer';", 'nodemailer'],
    ['lambdas/store/a.ts', "import { log } from '../runtime/log';", 'lambdas/runtime/log'],
    ['lambdas/store/a.ts', "import { handler } from '../api/activate';", 'lambdas/api/activate'],
    ['lambdas/runtime/a.ts', "import { handler } from '../api/activate';", 'lambdas/api/activate'],
    ['lambdas/runtime/a.ts', "import { Table } from '../../infra/table';", 'infra/table'],
    ['lambdas/runtime/a.ts', "import { SQSClient } from '@aws-sdk/client-sqs';", '@aws-sdk/client-sqs'],
    ['lambdas/runtime/aws/a.ts', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';", '@aws-sdk/client-dynamodb'],
    ['lambdas/api/a.ts', "import { PutCommand } from '@aws-sdk/lib-dynamodb';", '@aws-sdk/lib-dynamodb'],
    ['lambdas/api/a.ts', "import { handler } from './b';", 'lambdas/api/b'],
    ['lambdas/api/a.ts', "import { deliver } from '../events/deliver';", 'lambdas/events/deliver'],
    ['lambdas/api/a.ts', "import { App } from 'aws-cdk-lib';", 'aws-cdk-lib'],
    ['lambdas/events/deliver.ts', "import { handler } from '../api/validate';", 'lambdas/api/validate'],
    ['infra/a.ts', "import { handler } from '../lambdas/api/activate';", 'lambdas/api/activate'],
    ['infra/a.ts', "import { pk } from '../lambdas/store/keys';", 'lambdas/store/keys'],
    ['infra/a.ts', "import { start } from './local/stack';", 'infra/local/stack'],
    ['infra/local/a.ts', "import { App } from 'aws-cdk-lib';", 'aws-cdk-lib'],
    ['infra/local/a.ts', "import { Table } from 'aws-cdk-lib/aws-dynamodb';", 'aws-cdk-lib/aws-dynamodb'],
    ['infra/local/a.ts', "import { Table } from '../table';", 'infra/table'],
    ['infra/local/a.ts', "import { pk } from '../../lambdas/store/keys';", 'lambdas/store/keys'],
    ['infra/local/a.mjs', "import { keys } from '../../lambdas/domain/license-key';", 'lambdas/domain/license-key'],
    ['client/src/a.ts', "import { pathId } from '../../lambdas/contract/resources';", 'lambdas/contract/resources'],
    ['client/src/a.ts', "import type { License } from '../../lambdas/domain/license';", 'lambdas/domain/license (types)'],
    ['client/src/a.ts', "import { readFile } from 'node:fs/promises';", 'node:fs/promises'],
    ['client/src/a.ts', "import { fingerprint } from './node/fingerprint';", 'client/src/node/fingerprint'],
    ['client/src/a.ts', "import axios from 'axios';", 'axios'],
    ['client/src/browser/a.ts', "import { fileStorage } from '../node/file-storage';", 'client/src/node/file-storage'],
    ['client/example/a.ts', "import { verifyWith } from '../src/token';", 'client/src/token'],
    ['admin-site/src/a.tsx', "import { endpoints } from '../../lambdas/contract';", 'lambdas/contract'],
    ['admin-site/src/a.tsx', "import { readFileSync } from 'node:fs';", 'node:fs'],
  ])('%s: %s', (path, text, module) => expect(check(path, text)).toEqual([`${path} must not import ${module}`]));

  test.each<[string, string]>([
    ['a re-export', "export { x } from '../store/keys';"],
    ['a re-export of everything', "export * from '../store/keys';"],
    ['an import for its side effects', "import '../store/keys';"],
    ['an import at run time', "const load = () => import('../store/keys');"],
    ['an import at run time in a template literal', 'const load = () => import(`../store/keys`);'],
    ['require', "const keys = require('../store/keys');"],
    ['require.resolve', "const path = require.resolve('../store/keys');"],
    ['import equals', "import keys = require('../store/keys');"],
    ['one value among types', "import { type A, b } from '../store/keys';"],
    ['an import with an extension', "import { x } from '../store/keys.ts';"],
    ['an import on several lines', "import {\n  x,\n} from\n  '../store/keys';"],
    ['an import behind a comment', "/* fine */ import { x } from /* here */ '../store/keys';"],
    ['a way around', "import { x } from '../../lambdas/./store/keys';"],
  ])('finds %s', (_form, text) =>
    expect(check('lambdas/domain/a.ts', text)).toEqual(['lambdas/domain/a.ts must not import lambdas/store/keys']),
  );

  test('the check finds types that are imported with an inline import()', () =>
    expect(check('lambdas/domain/a.ts', "let x: import('../store/keys').Key;")).toEqual([
      'lambdas/domain/a.ts must not import lambdas/store/keys (types)',
    ]));

  test('the check refuses an import whose module it cannot determine', () =>
    expect(check('lambdas/api/a.ts', 'const load = (name: string) => import(name);')).toEqual([
      'lambdas/api/a.ts must not import (computed)',
    ]));

  test.each([
    ["// import { x } from '../store/keys';"],
    ["/* import { x } from '../store/keys'; */"],
    ["/** Unlike `import('../store/keys')`, this. */"],
    ['const text = "import { x } from \'../store/keys\'";'],
    ["const text = `require('../store/keys')`;"],
    ["import { x } from '../contract/errors';"],
    ["import { sign } from 'node:crypto';"],
    ["import { License } from './license';"],
  ])('%s is fine', (text) => expect(check('lambdas/domain/a.ts', text)).toEqual([]));

  test('pages and the client library may use the types of the contract', () => {
    const text =
      "import type { LicenseView } from '../../lambdas/contract/resources';\nimport { type SeatsView } from '../../lambdas/contract/resources';";
    expect(check('client/src/a.ts', text)).toEqual([]);
    expect(check('admin-site/src/a.tsx', text)).toEqual([]);
  });

  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['two files', { a: "import './b';", b: "import { a } from './a';" }, ['lambdas/a.ts imports lambdas/b.ts imports lambdas/a.ts']],
    [
      'types alone, by way of a third file',
      { a: "import type { b } from './b';", b: "export * from './c';", c: "let a: import('./a').A;" },
      ['lambdas/a.ts imports lambdas/b.ts imports lambdas/c.ts imports lambdas/a.ts'],
    ],
    [
      'the index of a folder',
      { 'a/index': "import './b';", 'a/b': "import '../a';" },
      ['lambdas/a/index.ts imports lambdas/a/b.ts imports lambdas/a/index.ts'],
    ],
    ['itself', { a: "import './a';" }, ['lambdas/a.ts imports lambdas/a.ts']],
    ['a file that two others import', { a: "import './b'; import './c';", b: "import './c';", c: '' }, []],
  ])('a cycle is seen: %s', (_case, texts, expected) =>
    expect(cycles(Object.entries(texts).map(([name, text]) => ({ path: `lambdas/${name}.ts`, text })))).toEqual(expected),
  );

  test('a new folder cannot escape the rules', () =>
    expect(check('lambdas/tools/a.ts', '')).toEqual(['lambdas/tools/a.ts is in a folder that no rule covers']));

  test.each([
    ['const t = Date.now();', 'Date.now'],
    ['const now = Date.now;', 'Date.now'],
    ["const t = Date['now']();", 'Date.now'],
    ['const t = globalThis.Date.now();', 'Date.now'],
    ['const t = new Date();', 'new Date()'],
    ['const t = new Date;', 'new Date()'],
    ['const t = Date();', 'Date()'],
    ['const r = Math.random();', 'Math.random'],
    ['const e = process.env.STAGE;', 'process.env'],
    ["const e = process.env['STAGE'];", 'process.env'],
  ])('refuses %s in the domain, whose results must not depend on the time, on random numbers or on the environment', (text, use) =>
    expect(check('lambdas/domain/a.ts', text)).toEqual([`lambdas/domain/a.ts must not use ${use}`]),
  );

  test.each([['const t = new Date(0);'], ['// Date.now()'], ["const s = 'Math.random()';"], ['const ms = Date.parse(text);']])(
    '%s is fine',
    (text) => expect(check('lambdas/domain/a.ts', text)).toEqual([]),
  );
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
