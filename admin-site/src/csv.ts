/** Comma-separated values as spreadsheets read them (RFC 4180). */

/** A cell; one that a spreadsheet would run as a formula begins with an apostrophe instead. */
function cell(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value !== 'number' ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const toCsv = (rows: readonly (readonly (string | number | null)[])[]): string => rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

/** The cells of a text, line by line; separated by commas, semicolons or tabs, whichever its first line has. */
export function parseCsv(text: string): string[][] {
  const [firstLine = ''] = text.split(/\r?\n/, 1);
  const separator = [',', ';', '\t'].find((candidate) => firstLine.includes(candidate)) ?? ',';
  const rows: string[][] = [];
  let row: string[] = [];
  let value = '';
  let quoted = false;
  const endCell = (): void => {
    row.push(value.trim());
    value = '';
  };
  const endRow = (): void => {
    endCell();
    if (row.some((one) => one !== '')) rows.push(row);
    row = [];
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (quoted) {
      if (character !== '"') value += character;
      else if (text[index + 1] === '"') value += text[(index += 1)];
      else quoted = false;
    } else if (character === '"' && value.trim() === '') {
      value = '';
      quoted = true;
    } else if (character === separator) endCell();
    else if (character === '\n') endRow();
    else if (character !== '\r') value += character;
  }
  endRow();
  return rows;
}

/** Saves a text as a file on the operator's machine. */
export function download(name: string, content: string, type = 'text/csv'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
