/**
 * Comma-separated values (RFC 4180) for spreadsheets. An apostrophe is written before a cell that a spreadsheet would run as a formula;
 * {@link unguarded} removes the apostrophe. (docs/spec/conventions.md, List formats)
 */

/**
 * Matches cells that a spreadsheet may run as a formula. In such a cell, the first character that is not blank is `=`, `+`, `-` or `@`, in
 * normal or full width, or the cell begins with a tab or a line break. The pattern also matches if apostrophes come before these
 * characters: the cell then gets one more apostrophe, because {@link unguarded} removes one.
 */
const FORMULA = /^'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/;
const GUARDED = /^'+(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/;

export type Cell = string | number | null;

/** The text of a cell with an apostrophe if a spreadsheet would run the cell as a formula. */
export const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

function written(value: Cell): string {
  const safe = typeof value === 'string' ? guarded(value) : value === null ? '' : String(value);
  // Blanks at the start or end are quoted as well, because many programs remove them from cells without quotes.
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line of CSV, including its line end. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(written).join(',')}\r\n`;

/** The text of a cell without the apostrophe that prevents a spreadsheet from running the cell as a formula. */
export const unguarded = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell);

export interface CsvRecord {
  /** The line of the file on which the record begins, counted from 1. A record has several lines if a cell contains line breaks. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why the quotes of the record are malformed. The cells of such a record are unreliable. */
  readonly problem?: string;
}

const SEPARATORS = [',', ';', '\t'];

/**
 * Reads records from text that arrives in pieces. If the first line is `sep=` and a character, as Excel writes and reads it, this character
 * separates the cells, and the line is no record. Otherwise the separator is a comma if the first line contains a comma outside of quotes,
 * or else a semicolon if the line contains one, or else a tab. Lines end with CR LF, LF or CR. Empty lines and a byte order mark are
 * skipped.
 */
export class CsvReader {
  private separator: string | undefined;
  /** The received part of the first line. The separator is determined when the line is complete. */
  private head = '';
  private headQuoted = false;

  private line = 1;
  private startLine = 1;
  private cells: string[] = [];
  private cell = '';
  private problem: string | undefined;
  private state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  private isAfterQuote = false;
  private isAfterCr = false;

  /** Reads another piece of text, and returns the records that are now complete. */
  push(piece: string): CsvRecord[] {
    if (this.separator !== undefined) return this.read(piece, this.separator);
    const from = this.head.length;
    this.head += piece;
    for (let place = from; place < this.head.length; place += 1) {
      const character = this.head.charAt(place);
      if (character === '"') this.headQuoted = !this.headQuoted;
      else if (!this.headQuoted && (character === '\n' || character === '\r')) return this.begin(place);
    }
    return [];
  }

  /** Ends the text, and returns the last record if no line end followed it. */
  end(): CsvRecord[] {
    const records = this.separator === undefined ? this.begin(this.head.length) : [];
    if (this.state === 'quoted' && !this.isAfterQuote) this.problem = 'a quoted cell has no closing quote';
    return [...records, ...this.endRecord()];
  }

  private begin(endOfHead: number): CsvRecord[] {
    const first = this.head.slice(0, endOfHead).replace(/^\uFEFF/, '');
    const [, named] = /^"?sep=([^"])"?$/i.exec(first) ?? [];
    const unquoted = first.replace(/"[^"]*"/g, '');
    this.separator = named ?? SEPARATORS.find((candidate) => unquoted.includes(candidate)) ?? ',';
    const text = named === undefined ? first + this.head.slice(endOfHead) : this.head.slice(endOfHead);
    this.head = '';
    return this.read(text, this.separator);
  }

  private read(text: string, separator: string): CsvRecord[] {
    const records: CsvRecord[] = [];
    for (const character of text) {
      const isLineFeedOfCr = this.isAfterCr && character === '\n';
      this.isAfterCr = character === '\r';
      if (this.isAfterQuote) {
        this.isAfterQuote = false;
        if (character === '"') {
          this.cell += '"';
          continue;
        }
        this.state = 'closed';
      }
      if (this.state === 'quoted') {
        if (character === '"') this.isAfterQuote = true;
        else this.cell += character;
      } else if (character === separator) {
        this.endCell();
      } else if (character === '\n' || character === '\r') {
        if (!isLineFeedOfCr) records.push(...this.endRecord());
      } else if (character === '"' && this.state === 'start' && this.cell.trim() === '') {
        this.cell = '';
        this.state = 'quoted';
      } else if (this.state === 'closed') {
        if (character !== ' ' && character !== '\t') this.problem ??= 'text follows the closing quote of a cell';
      } else {
        this.cell += character;
        if (character !== ' ' && character !== '\t') this.state = 'plain';
      }
      if (character === '\r' || (character === '\n' && !isLineFeedOfCr)) this.line += 1;
      if (this.isEmptyRecord()) this.startLine = this.line;
    }
    return records;
  }

  private isEmptyRecord(): boolean {
    return this.state === 'start' && this.cell === '' && this.cells.length === 0;
  }

  private endCell(): void {
    this.cells.push(this.cell);
    this.cell = '';
    this.state = 'start';
    this.isAfterQuote = false;
  }

  private endRecord(): CsvRecord[] {
    const isEmpty = this.isEmptyRecord();
    this.endCell();
    const record = { line: this.startLine, cells: this.cells, ...(this.problem !== undefined && { problem: this.problem }) };
    this.cells = [];
    this.problem = undefined;
    return isEmpty ? [] : [record];
  }
}

/** All records of a text. */
export function parseCsv(text: string): CsvRecord[] {
  const reader = new CsvReader();
  return [...reader.push(text), ...reader.end()];
}
