/** Defines the results of the benchmark, and formats them. */

export interface Result {
  readonly what: string;
  /** The line of the summary to which a result belongs. Results of the same kind share a line. */
  readonly kind?: string;
  readonly value: number;
  readonly unit: string;
  /** The baseline with which the result is compared. Its value was measured in the same run. */
  readonly against?: { readonly what: string; readonly value: number };
  /** The goal for the result. If the result has a baseline, the goal is for the ratio of the result to the baseline. */
  readonly goal?: Goal;
}

export interface Goal {
  readonly is: '≤' | '≥';
  readonly limit: number;
}

export interface Section {
  readonly title: string;
  /** Describes the measured operation and the method, in a few sentences. */
  readonly how: string;
  readonly results: readonly Result[];
}

/** A section of docs/performance.json, with the time and the machine of the measurement. */
export interface Measured extends Section {
  readonly measured: string;
}

export const atMost = (limit: number): Goal => ({ is: '≤', limit });
export const atLeast = (limit: number): Goal => ({ is: '≥', limit });

const ratioOf = ({ value, against }: Result): number | undefined => against && value / against.value;

/** The number that is compared with the goal: the result or its ratio. */
const judged = (result: Result): number => ratioOf(result) ?? result.value;

function isMet(result: Result): boolean | undefined {
  if (!result.goal) return undefined;
  const { is, limit } = result.goal;
  return is === '≤' ? judged(result) <= limit : judged(result) >= limit;
}

/** Formats a number with three significant digits. */
function digits(value: number): string {
  if (value === 0) return '0';
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', { maximumFractionDigits: decimals });
}

const cells = (result: Result): string[] => {
  const ratio = ratioOf(result);
  const met = isMet(result);
  return [
    result.what,
    `${digits(result.value)} ${result.unit}`.trim(),
    result.against ? `${result.against.what}: ${digits(result.against.value)}` : '',
    ratio === undefined ? '' : ratio.toFixed(2),
    result.goal ? `${result.goal.is} ${digits(result.goal.limit)}` : '',
    met === undefined ? '' : met ? 'yes' : '**no**',
  ];
};

/** The results as Markdown, with columns of equal width so that the table is also readable in a terminal. */
export function table({ title, how, results }: Section): string {
  return `### ${title}\n\n${how}\n\n${grid([['measured', 'value', 'against', 'ratio', 'goal', 'met'], ...results.map(cells)])}`;
}

/** All results that have a goal, as one Markdown table. */
export function summary(sections: readonly Section[]): string {
  const lines = sections.flatMap(({ title, results }) => {
    const kinds = new Map<string, Result[]>();
    for (const result of results) {
      if (!result.goal) continue;
      const kind = result.kind ?? result.what;
      kinds.set(kind, [...(kinds.get(kind) ?? []), result]);
    }
    return [...kinds].map(([kind, ofKind]) => [title, kind, ...summed(ofKind)]);
  });
  return grid([['section', 'measured', 'result', 'goal', 'met'], ...lines]);
}

/** The cells of a line of the summary: the values of the results, their goal, and how many of them meet the goal. */
function summed(results: readonly Result[]): readonly string[] {
  const values = results.map(judged);
  const [least, greatest] = [Math.min(...values), Math.max(...values)].map(digits);
  const [first] = results;
  const unit = first?.against ? `× ${first.against.what}` : (first?.unit ?? '');
  const met = results.filter(isMet).length;
  return [
    `${least === greatest ? least : `${least} to ${greatest}`} ${unit}`,
    first?.goal ? `${first.goal.is} ${digits(first.goal.limit)}` : '',
    met === results.length ? 'yes' : met === 0 ? '**no**' : `${met} of ${results.length}`,
  ];
}

/** Rounds to six significant digits, because further digits are noise. */
const rounded = (_name: string, value: unknown): unknown => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);

/** The sections as JSON with every result on its own line, so that a diff only shows the changed results. */
export function json(sections: readonly Measured[]): string {
  const texts = sections.map(({ results, ...about }) => {
    const lines = results.map((result) => `      ${JSON.stringify(result, rounded)}`).join(',\n');
    return `  {\n${Object.entries(about)
      .map(([name, value]) => `    "${name}": ${JSON.stringify(value)},\n`)
      .join('')}    "results": [\n${lines}\n    ]\n  }`;
  });
  return `[\n${texts.join(',\n')}\n]\n`;
}

function grid(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rest.map(line)].join('\n');
}
