import { dirname, posix } from 'node:path';
import type { TextFile } from './repository';

/** A text with each comment joined into one line, so that a citation across two lines is found. */
const unwrapped = (text: string): string => text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/[/!]?|#)[ \t]*/g, ' ');

/**
 * Finds citations of documents in comments and documents. A comment cites a page as `docs/<page>.md, <Heading>`. A heading with punctuation
 * is in quotes or asterisks. Documents use links.
 */

/** The headings of a Markdown page. Lines in code blocks are not headings. */
const headingsOf = (page: string): readonly string[] =>
  [...page.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => heading);

/** The forms in which a citation may name a heading: the text without formatting, the number alone, and the text without the number. */
const citedAs = (heading: string): readonly string[] => {
  const plain = heading.replace(/[`*]/g, '');
  const [, number, title] = /^(\d+)\. (.+)$/.exec(plain) ?? [];
  return number === undefined || title === undefined ? [plain] : [plain, number, title];
};

/** The anchors of a page, as GitHub generates them. */
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

/** Matches a citation of a page. The citation may name a heading in quotes, in asterisks, or up to the next punctuation. */
const CITATION = /\b(docs\/[\w/-]+\.md)(?:, (?:\\?"([^"\n\\]+)\\?"|\*([^*\n]+)\*|([^\s"*][^.,;:()"*\n]*)))?/g;

/** Matches the name of a Markdown file. */
const PAGE = /(?<![\w/.}*-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.md\b/g;

/** The texts of the Markdown files, by path. */
export type Pages = ReadonlyMap<string, string>;

/** The lines of a source file that contain a comment, or the whole text of a document. */
const prose = ({ path, text }: TextFile): string =>
  path.endsWith('.md')
    ? text
    : text
        .split('\n')
        .filter((line) => /^\s*(?:\/\/|\/?\*|#|""")|\s\/\/ |\/\*\* /.test(line))
        .join('\n');

/**
 * Citations of pages or headings that don't exist, and names of Markdown files that don't exist. Documents refer to headings with links, so
 * cited headings are checked only in other files.
 */
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

/** A document's links to files or headings that don't exist. */
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

/** Issue numbers in a text, which readers who only have the repository can't look up. */
export const issueNumbers = ({ path, text }: TextFile): readonly string[] =>
  [...text.matchAll(/\bissues? #?\d+|\bIssue #\d+/g)].map(([cited]) => `${path} cites ${cited}`);
