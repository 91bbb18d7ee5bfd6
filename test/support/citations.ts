import { dirname, posix } from 'node:path';
import { unwrapped } from './plain-english';
import type { TextFile } from './repository';

/**
 * Where comments and documents refer to documents. A comment cites as `docs/<page>.md, <Heading>`; a heading that has
 * punctuation is put in quotes or asterisks. A document links.
 */

/** The headings of a Markdown page, without code blocks. */
const headingsOf = (page: string): readonly string[] =>
  [...page.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => heading);

/** A heading as it is cited: without its number and without marks. */
const citedAs = (heading: string): readonly string[] => {
  const plain = heading.replace(/[`*]/g, '');
  const [, number, title] = /^(\d+)\. (.+)$/.exec(plain) ?? [];
  return number === undefined || title === undefined ? [plain] : [plain, number, title];
};

/** The anchors of a page, as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const heading of headingsOf(page)) {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Page, and heading if one is cited: in quotes, in asterisks, or up to the next punctuation. */
const CITATION = /\b(docs\/[\w/-]+\.md)(?:, (?:\\?"([^"\n\\]+)\\?"|\*([^*\n]+)\*|([^\s"*][^.,;:()"*\n]*)))?/g;

/** The name of a Markdown file. */
const PAGE = /(?<![\w/.}*-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.md\b/g;

/** The Markdown files, by path. */
export type Pages = ReadonlyMap<string, string>;

/** The lines of a source file that are comments or end with one; all of a document. */
const prose = ({ path, text }: TextFile): string =>
  path.endsWith('.md')
    ? text
    : text
        .split('\n')
        .filter((line) => /^\s*(?:\/\/|\/?\*|#|""")|\s\/\/ |\/\*\* /.test(line))
        .join('\n');

/** Citations of pages or headings that don't exist, and file names of pages that lead nowhere. Documents link to headings instead. */
export function brokenCitations(file: TextFile, pages: Pages): readonly string[] {
  const { path, text } = file;
  const isDocument = path.endsWith('.md');
  const broken: string[] = [];
  for (const [, page = '', quoted, starred, plain] of unwrapped(text).matchAll(CITATION)) {
    const content = pages.get(page);
    const heading = (quoted ?? starred ?? plain)?.trim();
    if (content === undefined) broken.push(`${path} cites ${page}, which does not exist`);
    else if (!isDocument && heading !== undefined && !headingsOf(content).flatMap(citedAs).includes(heading))
      broken.push(`${path} cites "${heading}", which is no heading of ${page}`);
  }
  for (const [page] of prose(file).matchAll(PAGE)) {
    if (!pages.has(page) && !pages.has(posix.join(dirname(path), page))) broken.push(`${path} names ${page}, which does not exist`);
  }
  return broken;
}

/** Links of a document to files or headings that don't exist. */
export function brokenLinks({ path, text }: TextFile, pages: Pages, exists: (path: string) => boolean): readonly string[] {
  return [...text.matchAll(/\]\(([^()\s#]*)(?:#([^()\s]*))?\)/g)].flatMap(([, file = '', anchor]) => {
    if (/^[a-z]+:/.test(file)) return [];
    const target = file === '' ? path : posix.join(dirname(path), file);
    if (!exists(target)) return [`${path} links to ${target}, which does not exist`];
    const page = pages.get(target);
    return anchor === undefined || page === undefined || anchorsOf(page).has(anchor)
      ? []
      : [`${path} links to #${anchor}, which is no heading of ${target}`];
  });
}

/** Numbers of issues: nobody who has only the repository can look them up. */
export const issueNumbers = ({ path, text }: TextFile): readonly string[] =>
  [...text.matchAll(/\bissues? #?\d+|\bIssue #\d+/g)].map(([cited]) => `${path} cites ${cited}`);
