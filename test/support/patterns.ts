import { RegExpParser, type AST } from '@eslint-community/regexpp';
import vm from 'node:vm';
import * as ts from 'typescript';
import { parse, walk, type SourceFile } from './sources';

/** Finds the regular expressions of source files, and tries each with the texts that make it slowest. */

export interface Found {
  /** The regular expression literal as it is written. */
  readonly literal: string;
  readonly paths: readonly string[];
}

/**
 * Whether a file can contain a regular expression literal, which has two slashes in one line. Lines that are comments or name a module do
 * not count.
 */
const mayHavePatterns = ({ text }: SourceFile): boolean =>
  text.split('\n').some((line) => /\/[^/*].*\//.test(line) && !/^\s*(?:\*|\/[/*])|^(?:import |export |\} ).* from '[^']*';$/.test(line));

/** All regular expression literals in files, each once. */
export function patternsOf(files: readonly SourceFile[]): readonly Found[] {
  const found = new Map<string, Set<string>>();
  // Parsing takes most of the time, so most files are not parsed.
  for (const file of files.filter(mayHavePatterns)) {
    walk(parse(file), (node) => {
      if (ts.isRegularExpressionLiteral(node)) found.set(node.text, (found.get(node.text) ?? new Set()).add(file.path));
    });
  }
  return [...found].map(([literal, paths]) => ({ literal, paths: [...paths] }));
}

/** The places where a file creates a regular expression from text at run time. Such expressions can't be tested in advance. */
export function computedPatterns(file: SourceFile): readonly string[] {
  const found: string[] = [];
  // Most files are not parsed, because they don't contain the word `RegExp`.
  if (!file.text.includes('RegExp')) return found;
  const tree = parse(file);
  walk(tree, (node) => {
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(tree).replace(/^globalThis\./, '') === 'RegExp')
      found.push(node.getText(tree));
  });
  return found;
}

/** A text for an attack: `before`, then `repeated` any number of times, then `after`. */
export interface Attack {
  readonly before: string;
  readonly repeated: string;
  readonly after: string;
}

const textOf = ({ before, repeated, after }: Attack, length: number): string =>
  before + repeated.repeat(Math.ceil(length / repeated.length)) + after;

/** Generates texts that match the parts of a pattern. */
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
    // The sample characters are all characters in the pattern, and one character of each kind that the pattern does not contain.
    this.alphabet = [...new Set([...own, ...' \t\na0A_-.\0é\u200d\u2028', '\u{1f600}'])];
  }

  /**
   * Some texts that match a part of the pattern. The texts for a character class contain characters that other parts of the pattern name,
   * because a text that several parts can match may make the pattern slow.
   */
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

  /** Texts that match a sequence of parts: every sample of each part, combined with the first samples of the other parts. */
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

/** Texts that may make a pattern slow: the beginning of a match, a repeated part, and an end that makes the match fail. */
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

/** The time limit in ms for one pattern. A pattern whose time grows in proportion to the length of a text needs much less time. */
const STUCK_MS = 2_000;

const timesScript = new vm.Script(`(() => {
  // The values are copied to local variables, because reading global variables is slow in a vm context.
  const { texts, pattern, now } = globalThis;
  // Each time ends when the next one begins, because asking for the time takes as long as most matches.
  let begun = now();
  return texts.map((text) => {
    pattern.lastIndex = 0;
    for (let last = -1; pattern.test(text); last = pattern.lastIndex) if (pattern.lastIndex === last) pattern.lastIndex += 1;
    const ended = now();
    const time = ended - begun;
    begun = ended;
    return time;
  });
})()`);

/** Processor time of the current process in ms. Unlike the real time, it does not depend on other programs. */
const processTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const context = vm.createContext({ now: processTime });

/** For each text, the time in ms in which a global pattern finds all matches; undefined if one of the times exceeds the limit. */
function timesOf(pattern: RegExp, texts: readonly string[], limit: number): readonly number[] | undefined {
  try {
    // Code in a `vm` context can have a time limit, which interrupts the code even inside a pattern match.
    return timesScript.runInContext(Object.assign(context, { texts, pattern }), { timeout: limit }) as number[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return undefined;
  }
}

/**
 * Length of the texts with which every attack is tried first. It is enough to recognize a time that grows with the square of the length.
 */
const SCREENED = 1024;
/**
 * How many of these texts share one time limit. Some patterns have 50,000 attacks. On a busy computer all of them together could exceed the
 * limit, although none of them is slow.
 */
const LIMITED_TOGETHER = 500;
/** How many of the slowest attacks are examined further. */
const SUSPECTS = 4;
/** Length of the longest text, in characters. */
const LONGEST = 100 * 1024;
/** Shorter times are not meaningful, because other programs influence them. */
const MEASURABLE_MS = 4;

/** Whether a text of four times the length takes much more than four times the time. Linear growth gives 4, quadratic growth 16. */
function growsFaster(pattern: RegExp, attack: Attack, limit: number): boolean {
  const fastest = (length: number, tries = 3): number => {
    const texts = Array.from({ length: tries }, () => textOf(attack, length));
    return Math.min(...(timesOf(pattern, texts, limit) ?? [Infinity]));
  };
  // Almost every pattern is that fast. A shorter text takes less time, so it need not be tried.
  if (fastest(LONGEST, 1) < MEASURABLE_MS) return false;
  for (let length = SCREENED; length <= LONGEST; length *= 2) {
    const short = fastest(length);
    if (short < MEASURABLE_MS) continue;
    // On a busy computer even this text can exceed the limit.
    const isFaster = (): boolean => {
      const time = fastest(length);
      return time === Infinity || fastest(4 * length) / time > 9;
    };
    // Other programs can distort one comparison, but three wrong comparisons in a row are very unlikely.
    return short === Infinity || [1, 2, 3].every(isFaster);
  }
  return false;
}

/** A pattern without an unlimited repetition needs only a limited time at each position of a text. */
const isBounded = (node: AST.Node): boolean => !(node.type === 'Quantifier' && node.max > 1000) && childrenOf(node).every(isBounded);

/**
 * The first tried text for which the pattern's time grows faster than the text's length; undefined if there is none.
 *
 * @param limit the time limit in ms for a few hundred short texts or a few long texts; a pattern that exceeds it is `stuck`
 */
export function slowestAttack(literal: string, limit = STUCK_MS): Attack | 'stuck' | undefined {
  const parsed = new RegExpParser().parseLiteral(literal);
  if (isBounded(parsed.pattern)) return undefined;
  const pattern = new RegExp(parsed.pattern.raw, [...new Set(`${parsed.flags.raw}g`)].join(''));
  const attacks = attacksOn(parsed.pattern, parsed.flags.raw);
  const times: number[] = [];
  for (let tried = 0; tried < attacks.length; tried = times.length) {
    const texts = attacks.slice(tried, tried + LIMITED_TOGETHER).map((attack) => textOf(attack, SCREENED));
    const measured = timesOf(pattern, texts, limit);
    if (!measured) return 'stuck';
    times.push(...measured);
  }
  const suspects = attacks.map((attack, index) => ({ attack, time: times[index] ?? 0 })).sort((a, b) => b.time - a.time);
  return suspects.slice(0, SUSPECTS).find(({ attack }) => growsFaster(pattern, attack, limit))?.attack;
}
