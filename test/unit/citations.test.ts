import { errors } from '../../lambdas/contract/errors';
import { brokenCitations, brokenLinks, issueNumbers } from '../support/citations';
import { exists, root, textFiles } from '../support/repository';

/** If these tests fail, a comment or a link refers to a page or a heading that does not exist. */

// This file and its helper are left out, because they contain examples of broken links.
const files = textFiles().filter(({ path }) => !/\bcitations\b/.test(path));
const pages = new Map(files.filter(({ path }) => path.endsWith('.md')).map(({ path, text }) => [path, text]));

test(`comments and documents are checked, in ${root}`, () => {
  for (const path of [
    'lambdas/domain/activation.ts',
    'client/go/licensekey/client.go',
    'client/rust/src/client.rs',
    'client/java/core/src/main/java/licensekey/Engine.java',
    'client/python/src/license_key_client/client.py',
    'docs/spec/service.md',
    '.ci/run',
  ]) {
    expect(files.map((file) => file.path)).toContain(path);
  }
});

test('every page and heading that is cited exists', () => expect(files.flatMap((file) => brokenCitations(file, pages))).toEqual([]));

test('every link in a document leads to a file, and to a heading of it', () =>
  expect(files.filter(({ path }) => path.endsWith('.md')).flatMap((file) => brokenLinks(file, pages, exists))).toEqual([]));

test('no issue number is cited', () => expect(files.flatMap(issueNumbers)).toEqual([]));

test('every page of the specification is in its index', () => {
  const index = pages.get('docs/spec/README.md') ?? '';
  for (const path of pages.keys())
    if (path.startsWith('docs/spec/') && path !== 'docs/spec/README.md') expect(index).toContain(`](${path.slice('docs/spec/'.length)})`);
});

test('the table of errors contains the errors of the contract', () => {
  const rows = Object.values(errors).map(({ status, code, meaning }) => `| ${status} | \`${code}\` | ${meaning} |`);
  expect(pages.get('docs/spec/service.md')).toContain(['| status | code | meaning |', '|---|---|---|', ...rows].join('\n'));
});

describe('the check itself', () => {
  const page = '# Page\n\n## A limit\n\n## An `api_key` here\n\n### 12. A choice\n\n## This, and that\n\n```sh\n# not a heading\n```\n';
  const known = new Map([
    ['docs/page.md', page],
    ['client/README.md', ''],
  ]);
  const citing = (text: string, path = 'lambdas/a.ts'): readonly string[] => brokenCitations({ path, text }, known);

  test.each([
    ['/** Why (docs/page.md, A limit). */'],
    ['/** Why (docs/page.md). */'],
    ['/** docs/page.md, A limit; and more. */'],
    ['/** As docs/page.md, A limit, says. */'],
    ['/** The limit of docs/page.md, A limit */'],
    ['/**\n * Why (docs/page.md,\n * A limit). */'],
    ['// Why (docs/page.md, A\n// limit).'],
    ['# Why (docs/page.md, An api_key here).'],
    ['// Why (docs/page.md, 12).'],
    ['// Why (docs/page.md, A choice).'],
    ['// Why: docs/page.md, "This, and that".'],
    ['// Why (docs/page.md, *This, and that*).'],
  ])('%j is fine', (text) => expect(citing(text)).toEqual([]));

  test.each([
    ['a heading that was renamed', '// Why (docs/page.md, A bound).', 'cites "A bound", which is no heading of docs/page.md'],
    ['a heading that is only begun', '// Why (docs/page.md, A).', 'cites "A", which is no heading of docs/page.md'],
    ['a line of code', '// Why (docs/page.md, not a heading).', 'cites "not a heading", which is no heading of docs/page.md'],
    ['a page without its folder', '// Why (page.md, A limit).', 'names page.md, which does not exist'],
    ['another folder', '// Why (spec/page.md, A limit).', 'names spec/page.md, which does not exist'],
  ])('%s is found', (_what, text, problem) => expect(citing(text)).toEqual([`lambdas/a.ts ${problem}`]));

  test('a missing page is found', () =>
    expect(citing('// Why (docs/other.md, A limit).')).toContain('lambdas/a.ts cites docs/other.md, which does not exist'));
  test('a file may name a page in its own folder, and a file name in code is not a citation', () => {
    expect(citing('// README.md shows how.', 'client/a.ts')).toEqual([]);
    expect(citing("write('page.md');", 'bin/a.ts')).toEqual([]);
  });

  test.each([
    ['[a](page.md#a-limit) [b](#12-a-choice) [c](page.md#an-api_key-here) [d](https://example.com/#x) [e](../client/README.md)', []],
    ['[a](page.md#a-bound)', ['docs/page.md links to #a-bound, which is no heading of docs/page.md']],
    ['[a](pages.md)', ['docs/page.md links to docs/pages.md, which does not exist']],
  ])('links: %s', (link, problems) =>
    expect(brokenLinks({ path: 'docs/page.md', text: page + link }, known, (path) => known.has(path))).toEqual(problems),
  );

  test.each([['// by the numbers of issue 18'], ['// see Issue #3'], ['// issues 4 and 5']])('%s is found', (text) =>
    expect(issueNumbers({ path: 'a.ts', text })).toHaveLength(1),
  );
  test.each([["button(form, 'Issue 2 licenses')"], ['// issues licenses']])('%s is fine', (text) =>
    expect(issueNumbers({ path: 'a.ts', text })).toEqual([]),
  );
});
