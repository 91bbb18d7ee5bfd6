import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import * as ts from 'typescript';

/** A source file, whose path is relative to the repository's root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Reads the TypeScript and JavaScript source files of folders. */
export function sourceFiles(root: string, folders: readonly string[]): readonly SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => posix.join(folder, file.replaceAll('\\', '/')))
      .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !path.includes('node_modules/'))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  );
}

const parsed = new WeakMap<SourceFile, ts.SourceFile>();

/** The syntax tree of a file, which is parsed once. */
export function parse(file: SourceFile): ts.SourceFile {
  // The checks don't need the structure of documentation comments.
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  const tree = parsed.get(file) ?? ts.createSourceFile(file.path, file.text, options, true);
  parsed.set(file, tree);
  return tree;
}

/** Calls `visit` for every syntax node of a file. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  node.forEachChild((child) => walk(child, visit));
}
