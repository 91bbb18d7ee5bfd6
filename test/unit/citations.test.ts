import { errors } from '../../lambdas/contract/errors';
import { brokenCitations, brokenLinks, issueNumbers } from '../support/citations';
import { exists, root, textFiles } from '../support/repository';

/** If these tests fail, a comment or a link refers to a page or a heading that does not exist. */

// The helper is left out, because it contains examples of broken links.
const files = textFiles().filter(({ path }) => path !== 'test/support/citations.ts');
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
