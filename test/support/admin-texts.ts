import * as ts from 'typescript';
import { parse, walk, type SourceFile } from './sources';

/** Finds the texts in the source code of the admin page: texts that are translated, and texts that are not but should be. */

/** A text in the source code that is passed to `t`, `plural` or `T`. */
export interface UsedText {
  /** The English text, which is the key of its translations. */
  readonly text: string;
  /** The singular form, if the text is about a number. */
  readonly one?: string;
  /** The place of the text in the source code, such as `admin-site/src/shell.tsx:12`. */
  readonly place: string;
}

/** Stands for a text that is not a literal in the source code. Such a text can't be translated. */
export const NOT_LITERAL = '(not a literal)';

const literal = (node: ts.Node | undefined): string => (node !== undefined && ts.isStringLiteralLike(node) ? node.text : NOT_LITERAL);

/** The value of a JSX attribute in one of the forms `label="…"` and `label={…}`. */
const valueOf = ({ initializer }: ts.JsxAttribute): ts.Node | undefined =>
  initializer && ts.isJsxExpression(initializer) ? initializer.expression : initializer;

const placeOf = (file: SourceFile, source: ts.SourceFile, node: ts.Node): string =>
  `${file.path}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;

/** All texts that a module of the admin page translates. */
export function usedTexts(file: SourceFile): readonly UsedText[] {
  const source = parse(file);
  const used: UsedText[] = [];
  walk(source, (node) => {
    const place = placeOf(file, source, node);
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const [first, one, many] = node.arguments;
      if (node.expression.text === 't') used.push({ text: literal(first), place });
      if (node.expression.text === 'plural') used.push({ text: literal(many), one: literal(one), place });
    }
    if (ts.isJsxAttribute(node) && node.name.getText(source) === 'text' && node.parent.parent.tagName.getText(source) === 'T')
      used.push({ text: literal(valueOf(node)), place });
  });
  return used;
}

/** The names of the placeholders in a text, sorted. */
export const placeholders = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort();

/** The JSX attributes whose texts are visible or read aloud by screen readers. */
const VISIBLE = new Set(
  'alt aria-description aria-label caption description hint label legend none note page placeholder preview previous submit title unit what words'.split(
    ' ',
  ),
);
/** The object properties whose texts become visible attributes. */
const VISIBLE_PROPERTIES = new Set('aria-label group label note title words'.split(' '));
/** The elements that contain code or the name of a key on the keyboard. */
const CODE = new Set(['code', 'kbd', 'pre']);

const hasLetters = (text: string): boolean => /\p{L}{2}/u.test(text);
/** Whether a text is one capitalized word. Names in the source code don't begin with a capital letter, except names of keys and headers. */
const isTitle = (text: string): boolean => /^\p{Lu}\p{Ll}+$/u.test(text);
/** Whether a text contains at least two words. Names and URLs in the source code don't. */
const isSentence = (text: string): boolean => /\p{L}{2,}[,;:.]? [\p{L}(“]\p{L}/u.test(text);

/** The literal parts of a template string, joined by an ellipsis. */
const wordsIn = (node: ts.StringLiteralLike | ts.TemplateExpression): string =>
  ts.isTemplateExpression(node) ? [node.head.text, ...node.templateSpans.map(({ literal: part }) => part.text)].join('…') : node.text;

/** Whether the parent of a syntax node shows the node's text, either always or only under a condition. */
function isShown(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent)) return isShown(parent);
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && isShown(parent);
  if (ts.isBinaryExpression(parent))
    return (
      ['??', '||', '&&'].includes(parent.operatorToken.getText()) &&
      (parent.right === node || parent.operatorToken.getText() !== '&&') &&
      isShown(parent)
    );
  if (ts.isJsxAttribute(parent)) return VISIBLE.has(parent.name.getText());
  if (ts.isJsxExpression(parent)) return ts.isJsxAttribute(parent.parent) ? isShown(parent) : !inCode(parent);
  if (ts.isPropertyAssignment(parent))
    return (
      parent.initializer === node && VISIBLE_PROPERTIES.has(ts.isStringLiteralLike(parent.name) ? parent.name.text : parent.name.getText())
    );
  return false;
}

/** Whether a syntax node is a value, such as a property or a return value, that other code may show to users. */
function isResult(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent) || ts.isConditionalExpression(parent)) return isResult(parent);
  return (
    (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isArrowFunction(parent) ||
    ts.isReturnStatement(parent) ||
    ts.isVariableDeclaration(parent) ||
    ts.isBindingElement(parent)
  );
}

const inCode = ({ parent }: ts.Node): boolean => ts.isJsxElement(parent) && CODE.has(parent.openingElement.tagName.getText());

/** A visible text in the source code that is not translated. */
export interface Untranslated {
  readonly text: string;
  readonly place: string;
}

/** The visible texts of a module that are not translated. */
export function untranslated(file: SourceFile): readonly Untranslated[] {
  const source = parse(file);
  const found: Untranslated[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isJsxAttribute(node) && node.name.getText(source) === 'className') return;
    const report = (text: string): void => void found.push({ text: text.trim(), place: placeOf(file, source, node) });
    if (ts.isJsxText(node) && hasLetters(node.text) && !inCode(node)) report(node.text);
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const text = wordsIn(node);
      if (isShown(node) ? hasLetters(text) : isSentence(text) || (isTitle(text) && isResult(node))) report(text);
    }
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && ['t', 'plural'].includes(node.expression.text)) {
      for (const argument of node.arguments) if (!ts.isStringLiteralLike(argument)) visit(argument);
    } else if (ts.isJsxSelfClosingElement(node) && node.tagName.getText(source) === 'T') {
      for (const attribute of node.attributes.properties)
        if (!ts.isJsxAttribute(attribute) || attribute.name.getText(source) !== 'text') visit(attribute);
    } else node.forEachChild(visit);
  };
  visit(source);
  return found;
}
