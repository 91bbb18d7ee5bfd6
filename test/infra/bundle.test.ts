import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../infra/bundle';
import { hashOfSources } from '../../infra/kept';
import { functionSources } from '../../infra/service-stack';
import { endpoints } from '../../lambdas/contract';
import { openapiDocument } from '../../lambdas/contract/openapi';
import { fileName, usesQueue, type Endpoint } from '../../lambdas/contract/endpoint';

/** The pages of a local run are rebuilt only after their sources have changed. If a change were not noticed, it would show old pages. */

const folder = mkdtempSync(join(tmpdir(), 'bundle-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
const hash = (): string | undefined => hashOfSources(folder, ['lambdas', 'infra/bundle.ts']);

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

test.each(files)('the hash of the sources changes with %s, and changes back when the file is restored', (file) => {
  const before = hash();
  write(file, 'as it is!');
  expect(hash()).not.toBe(before);
  write(file, 'as it was');
  expect(hash()).toBe(before);
});

test('the hash of the sources changes when a file is added or renamed', () => {
  const before = hash();
  write('lambdas/api/new.ts', '');
  const more = hash();
  renameSync(join(folder, 'lambdas/api/new.ts'), join(folder, 'lambdas/api/newer.ts'));
  expect(new Set([before, more, hash()]).size).toBe(3);
});

test('without the list of installed packages there is no hash, so the pages are built again', () => {
  rmSync(join(folder, 'node_modules/.package-lock.json'));
  expect(hash()).toBeUndefined();
});

describe('the bundles of all endpoints', () => {
  const sources = new Map(endpoints.map((row) => [`lambdas/api/${fileName(row)}.ts`, row]));
  const folders = bundle(functionSources, { sourceMaps: false });
  const codes = new Map([...sources.keys()].map((source) => [source, readFileSync(join(folders.get(source) ?? '', 'index.js'))]));
  const including = (text: string): string[] => [...codes].flatMap(([source, code]) => (code.includes(text) ? [source] : [])).sort();

  const sourcesWith = (matches: (row: Endpoint) => boolean): string[] =>
    [...sources].flatMap(([source, row]) => (matches(row) ? [source] : [])).sort();

  test('contain the S3 client only if the endpoint uses files: the client would double the time of each first response', () =>
    expect(including('com.amazonaws.s3')).toEqual(sourcesWith(({ files }) => files !== undefined)));

  test('contain the SQS client only if the endpoint may send messages: every other first response would be later for no reason', () =>
    expect(including('com.amazonaws.sqs')).toEqual(sourcesWith(usesQueue)));

  test('do not contain the complete zod, which would delay every first response', () => {
    // Only the complete variant of zod contains this beginning of its English error messages.
    expect(including('Invalid input: expected')).toEqual([]);
  });

  test('contain no zod if the endpoint uses nothing outside of its function: its first response would be later for no reason', () => {
    const fixed = sourcesWith(({ credential, store }) => credential === 'none' && Object.keys(store).length === 0);
    expect(fixed).toEqual(expect.arrayContaining(['lambdas/api/get-health.ts', 'lambdas/api/get-openapi.ts']));
    expect(including('_zod').filter((source) => fixed.includes(source))).toEqual([]);
  });

  test('contain the OpenAPI document as text: computing it took seconds in the smallest function', () => {
    expect(including(JSON.stringify(openapiDocument({ version: '1' }).info['title']).slice(1, -1))).toContain('lambdas/api/get-openapi.ts');
    expect(including('toJSONSchema')).toEqual([]);
  });

  test('contain the rows of other endpoints only if the function uses them: each row would add its schemas to every first response', () => {
    const others = (source: string): string[] =>
      endpoints.flatMap((row) =>
        row !== sources.get(source) && codes.get(source)?.includes(JSON.stringify(row.summary).slice(1, -1)) ? [row.name] : [],
      );
    expect(others('lambdas/api/validate.ts')).toEqual([]);
    expect(others('lambdas/api/revoke-license.ts')).toEqual([]);
  });

  test('are at most 404 KB for the endpoints that apps call when they start', () => {
    const called = [...codes].filter(([source]) => sources.get(source)?.tag === 'Activation');
    expect(called.flatMap(([source, code]) => (code.length > 404_000 ? [source] : []))).toEqual([]);
    expect(called.length).toBeGreaterThanOrEqual(5);
  });
});
