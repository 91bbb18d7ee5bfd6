import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, hashOfSources } from '../../infra/bundle';
import { endpoints } from '../../lambdas/contract';
import { fileName } from '../../lambdas/contract/endpoint';

/** A local run would serve yesterday's code if a change of what bundles are made of were not noticed. */

const folder = mkdtempSync(join(tmpdir(), 'bundle-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);

const files = [
  'lambdas/api/get.ts',
  'lambdas/main.ts',
  'infra/bundle.ts',
  'package.json',
  'tsconfig.json',
  'node_modules/.package-lock.json',
];
beforeEach(() => {
  for (const name of ['lambdas/api', 'infra', 'node_modules']) mkdirSync(join(folder, name), { recursive: true });
  for (const file of files) write(file, 'as it was');
});

test.each(files)('a change of %s is noticed, and that it is taken back', (file) => {
  const before = hashOfSources(folder);
  write(file, 'as it is!');
  expect(hashOfSources(folder)).not.toBe(before);
  write(file, 'as it was');
  expect(hashOfSources(folder)).toBe(before);
});

test('a file that is new or has another name is noticed', () => {
  const before = hashOfSources(folder);
  write('lambdas/api/new.ts', '');
  const more = hashOfSources(folder);
  renameSync(join(folder, 'lambdas/api/new.ts'), join(folder, 'lambdas/api/newer.ts'));
  expect(new Set([before, more, hashOfSources(folder)]).size).toBe(3);
});

test('nothing is taken for unchanged if nobody knows which packages are installed', () => {
  rmSync(join(folder, 'node_modules/.package-lock.json'));
  expect(hashOfSources(folder)).toBeUndefined();
});

test('a function contains the S3 client only if its endpoint uses files: the client would double the time of each first response', () => {
  const sources = new Map(endpoints.map((row) => [`lambdas/api/${fileName(row)}.ts`, row]));
  const folders = bundle([...sources.keys()], { sourceMaps: false });
  const withS3 = [...folders].filter(([, folder]) => readFileSync(join(folder, 'index.js')).includes('com.amazonaws.s3'));
  const expected = [...sources].filter(([, row]) => row.files !== undefined).map(([source]) => source);
  expect(withS3.map(([source]) => source).sort()).toEqual(expected.sort());
});
