/** What the benchmark found: rows for one table, and the same as JSON. */

export interface Result {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** What it is compared with, measured in the same run. */
  readonly against?: { readonly what: string; readonly value: number };
  /** What the value, or its ratio where it is compared, should come to. */
  readonly goal?: Goal;
}

export interface Goal {
  readonly is: '≤' | '≥';
  readonly limit: number;
}

export interface Section {
  readonly title: string;
  /** What was measured and how, in a sentence or two. */
  readonly how: string;
  readonly results: readonly Result[];
}

export const atMost = (limit: number): Goal => ({ is: '≤', limit });
export const atLeast = (limit: number): Goal => ({ is: '≥', limit });

export const ratioOf = ({ value, against }: Result): number | undefined => against && value / against.value;

/** What the goal is about. */
const judged = (result: Result): number => ratioOf(result) ?? result.value;

export function isMet(result: Result): boolean | undefined {
  if (!result.goal) return undefined;
  const { is, limit } = result.goal;
  return is === '≤' ? judged(result) <= limit : judged(result) >= limit;
}

/** Three digits that count. */
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

const HEAD = ['measured', 'value', 'against', 'ratio', 'goal', 'met'];

/** The results as Markdown, with columns of one width so that it reads well in a terminal too. */
export function table(sections: readonly Section[]): string {
  return sections.map(({ title, how, results }) => `### ${title}\n\n${how}\n\n${grid([HEAD, ...results.map(cells)])}`).join('\n\n');
}

function grid(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rest.map(line)].join('\n');
}
