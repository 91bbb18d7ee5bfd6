import { RegExpParser, type AST } from '@eslint-community/regexpp';
import vm from 'node:vm';
import * as ts from 'typescript';
import { parse, walk, type SourceFile } from './imports';

/** Finds the regular expressions of source files, and tries each with the texts that make it slowest. */

export interface Found {
  /** The literal as it is written. */
  readonly literal: string;
  readonly paths: readonly string[];
}

/** The regular expressions that files are written with, each once. */
export function patternsOf(files: readonly SourceFile[]): readonly Found[] {
  const found = new Map<string, Set<string>>();
  for (const file of files) {
    walk(parse(file), (node) => {
      if (ts.isRegularExpressionLiteral(node)) found.set(node.text, (found.get(node.text) ?? new Set()).add(file.path));
    });
  }
  return [...found].map(([literal, paths]) => ({ literal, paths: [...paths] }));
}

/** Where a file makes a pattern from text at run time: nothing could try it before. */
export function computedPatterns(file: SourceFile): readonly string[] {
  const found: string[] = [];
  walk(parse(file), (node) => {
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText().replace(/^globalThis\./, '') === 'RegExp')
      found.push(node.getText());
  });
  return found;
}

/** A text: `before`, then `repeated` as often as wanted, then `after`. */
export interface Attack {
  readonly before: string;
  readonly repeated: string;
  readonly after: string;
}

const textOf = ({ before, repeated, after }: Attack, length: number): string =>
  before + repeated.repeat(Math.ceil(length / repeated.length)) + after;

/** Finds parts of a pattern by what they match. */
class Samples {
  private readonly alphabet: readonly string[];

  constructor(
    pattern: AST.Pattern,
    private readonly flags: string,
  ) {
    const own = new Set<string>();
    const collect = (node: AST.Node): void => {
      if (node.type === 'Character') own.add(String.fromCodePoint(node.value));
      if (node.type === 'CharacterClassRange') own.add(String.fromCodePoint(node.min.value));
      else for (const child of childrenOf(node)) collect(child);
    };
    collect(pattern);
    // What it names itself, then one of each kind of character.
    this.alphabet = [...new Set([...own, ...' \t\na0A_-.\0é\u200d\u2028', '\u{1f600}'])];
  }

  /** Some texts that a part matches: the shortest, and such as begin what another part may continue. */
  of(node: AST.Element): readonly string[] {
    switch (node.type) {
      case 'Character':
        return [String.fromCodePoint(node.value)];
      case 'CharacterSet':
      case 'CharacterClass': {
        const one = new RegExp(`^${node.raw}$`, this.flags);
        return this.alphabet.filter((character) => one.test(character)).slice(0, 4);
      }
      case 'Group':
      case 'CapturingGroup':
        return distinct(node.alternatives.flatMap(({ elements }) => this.ofSequence(elements))).slice(0, 6);
      case 'Quantifier':
        return this.of(node.element).map((text) => text.repeat(Math.max(node.min, 1)));
      case 'Assertion':
      case 'Backreference':
      case 'ExpressionCharacterClass':
        return [''];
    }
  }

  /** Texts that parts in a row match: each part's samples in turn, with the first sample of the others. */
  ofSequence(elements: readonly AST.Element[]): readonly string[] {
    const each = elements.map((element) => this.of(element));
    const first = each.map(([text = '']) => text);
    return distinct([
      first.join(''),
      ...each.flatMap((texts, index) => texts.slice(1).map((text) => first.with(index, text).join(''))),
    ]).slice(0, 8);
  }
}

const distinct = <Value>(values: readonly Value[]): readonly Value[] => [...new Set(values)];

function childrenOf(node: AST.Node): readonly AST.Node[] {
  if ('alternatives' in node && node.alternatives.length > 0) return node.alternatives;
  if ('elements' in node) return node.elements;
  return 'element' in node ? [node.element] : [];
}

/** The texts that may make a pattern slow: what it begins with, any part repeated, and what makes it fail. */
function attacksOn(pattern: AST.Pattern, flags: string): readonly Attack[] {
  const samples = new Samples(pattern, flags.replace(/[gy]/g, ''));
  const [starts, repeated, ends] = [new Set(['']), new Set<string>(), new Set(['', '\0', '\n', '!'])];
  const visit = (node: AST.Node): void => {
    if (node.type === 'Alternative') {
      for (const [index, element] of node.elements.entries()) {
        for (const text of samples.of(element)) repeated.add(text);
        const [begun = ''] = samples.ofSequence(node.elements.slice(0, index + 1));
        starts.add(begun);
        for (const text of samples.ofSequence(node.elements.slice(0, index + 1))) repeated.add(text);
      }
    }
    if (node.type === 'Assertion' && 'alternatives' in node)
      for (const { elements } of node.alternatives) for (const text of samples.ofSequence(elements)) ends.add(text);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(pattern);
  repeated.delete('');
  return [...starts].flatMap((before) => [...repeated].flatMap((part) => [...ends].map((after) => ({ before, repeated: part, after }))));
}

/** Much longer than all the texts take together whose time grows with their length. */
const STUCK_MS = 8_000;

const timesScript = new vm.Script(`(() => {
  // Names of a context are slow to read.
  const { texts, pattern, now } = globalThis;
  return texts.map((text) => {
    const begun = now();
    pattern.lastIndex = 0;
    for (let last = -1; pattern.test(text); last = pattern.lastIndex) if (pattern.lastIndex === last) pattern.lastIndex += 1;
    return now() - begun;
  });
})()`);

/** Time of this process in ms, however busy the machine is. */
const processTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Time in ms to find all matches of a global pattern in each text; undefined if it is stuck. */
function timesOf(pattern: RegExp, texts: readonly string[]): readonly number[] | undefined {
  try {
    // Code in a context of its own can be interrupted, also within a pattern.
    return timesScript.runInNewContext({ texts, pattern, now: processTime }, { timeout: STUCK_MS }) as number[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return undefined;
  }
}

/** Characters of the texts that every attack is tried with: enough to tell time that grows with their square. */
const SCREENED = 1024;
/** How many of the slowest attacks are looked at further. */
const SUSPECTS = 4;
/** Characters of the longest text. */
const LONGEST = 100 * 1024;
/** Shorter times say nothing: other programs take their share. */
const MEASURABLE_MS = 4;

/** Whether four times the text takes much more than four times as long. Linear: 4; quadratic: 16. */
function growsFaster(pattern: RegExp, attack: Attack): boolean {
  const fastest = (length: number): number => {
    const texts = Array.from({ length: 3 }, () => textOf(attack, length));
    return Math.min(...(timesOf(pattern, texts) ?? [Infinity]));
  };
  for (let length = SCREENED; length <= LONGEST; length *= 2) {
    const short = fastest(length);
    if (short < MEASURABLE_MS) continue;
    return short === Infinity || fastest(4 * length) / short > 9;
  }
  return false;
}

/** Without a part that repeats without an end, a pattern looks at each place of a text for a limited time only. */
const isBounded = (node: AST.Node): boolean => !(node.type === 'Quantifier' && node.max > 1000) && childrenOf(node).every(isBounded);

/** The text whose time grows faster than its length; undefined: no text does that was tried. */
export function slowestAttack(literal: string): Attack | 'stuck' | undefined {
  const parsed = new RegExpParser().parseLiteral(literal);
  if (isBounded(parsed.pattern)) return undefined;
  const pattern = new RegExp(parsed.pattern.raw, [...new Set(`${parsed.flags.raw}g`)].join(''));
  const attacks = attacksOn(parsed.pattern, parsed.flags.raw);
  const times = timesOf(
    pattern,
    attacks.map((attack) => textOf(attack, SCREENED)),
  );
  if (!times) return 'stuck';
  const suspects = attacks.map((attack, index) => ({ attack, time: times[index] ?? 0 })).sort((a, b) => b.time - a.time);
  return suspects.slice(0, SUSPECTS).find(({ attack }) => growsFaster(pattern, attack))?.attack;
}
