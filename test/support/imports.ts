import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import * as ts from 'typescript';

/** A source file, whose path is relative to the repository's root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** An import in a file, in any form that makes the file depend on another module. */
export interface Import {
  /** The imported module: a package (`zod`, `node:fs`), or a path from the repository's root without extension. */
  readonly module: string;
  /** Whether only types are imported, so that the import doesn't exist at run time. */
  readonly typeOnly: boolean;
}

/** Stands for the name of the imported module if the code computes the name at run time. */
export const COMPUTED = '(computed)';

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

/** Resolves a relative import: `./x.ts` in `a/b.ts` is `a/x`. A package name stays unchanged. */
function resolveModule(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(from), specifier).replace(/\.[cm]?[jt]sx?$/, '');
}

const isTypeOnlyClause = (clause: ts.ImportClause | undefined): boolean => {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  return (
    !clause.name &&
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.length > 0 &&
    bindings.elements.every((element) => element.isTypeOnly)
  );
};

/** The module that a syntax node imports; undefined if the node is not an import. */
function specifierOf(
  node: ts.Node,
  tree: ts.SourceFile,
): { readonly specifier: ts.Node | undefined; readonly typeOnly: boolean } | undefined {
  if (ts.isImportDeclaration(node)) return { specifier: node.moduleSpecifier, typeOnly: isTypeOnlyClause(node.importClause) };
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) return { specifier: node.moduleSpecifier, typeOnly: node.isTypeOnly };
  if (ts.isImportTypeNode(node))
    return { specifier: ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, typeOnly: true };
  if (ts.isExternalModuleReference(node)) return { specifier: node.expression, typeOnly: false };
  if (ts.isCallExpression(node)) {
    const {
      expression,
      arguments: [argument],
    } = node;
    const dynamic = expression.kind === ts.SyntaxKind.ImportKeyword;
    const required = ts.isIdentifier(expression) && expression.text === 'require';
    const resolved = ts.isPropertyAccessExpression(expression) && expression.getText(tree) === 'require.resolve';
    if (dynamic || required || resolved) return { specifier: argument, typeOnly: false };
  }
  return undefined;
}

/** Every import of a file, read from its syntax tree, so that comments and texts that look like imports don't count. */
export function importsOf(file: SourceFile): readonly Import[] {
  const found: Import[] = [];
  const tree = parse(file);
  walk(tree, (node) => {
    const imported = specifierOf(node, tree);
    if (!imported) return;
    const { specifier, typeOnly } = imported;
    const module = specifier && ts.isStringLiteralLike(specifier) ? resolveModule(file.path, specifier.text) : COMPUTED;
    found.push({ module, typeOnly });
  });
  return found;
}

/** Uses of time, random numbers and the environment, which pure code must receive as arguments. */
export function impurities(file: SourceFile): readonly string[] {
  const ambient = new Set(['process.env', 'Date.now', 'Math.random', 'performance.now', 'crypto.randomUUID', 'crypto.getRandomValues']);
  const found: string[] = [];
  const tree = parse(file);
  walk(tree, (node) => {
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
      const name = ts.isPropertyAccessExpression(node)
        ? node.name.text
        : ts.isStringLiteralLike(node.argumentExpression)
          ? node.argumentExpression.text
          : '';
      const text = `${node.expression.getText(tree).replace(/^globalThis\./, '')}.${name}`;
      if (ambient.has(text)) found.push(text);
    }
    const isDate = (callee: ts.Node): boolean => ts.isIdentifier(callee) && callee.text === 'Date';
    if (ts.isNewExpression(node) && isDate(node.expression) && !node.arguments?.length) found.push('new Date()');
    if (ts.isCallExpression(node) && isDate(node.expression)) found.push('Date()');
  });
  return found;
}
