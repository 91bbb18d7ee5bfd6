import fc from 'fast-check';
import { csvLine, CsvReader, parseCsv, unguarded, type CsvRecord } from '../../../lambdas/domain/csv';

const cell = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  // Cells with many characters that are special in CSV files: quotes, separators, line ends, spaces, and signs that start a formula.
  fc
    .array(
      fc.constantFrom(
        '"',
        ',',
        ';',
        '\t',
        '\r',
        '\n',
        "'",
        '=',
        '+',
        '-',
        '@',
        '＝',
        '＋',
        '－',
        '＠',
        ' ',
        '\u00a0',
        '\u3000',
        'a',
        'ü',
        '😀',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);
// A table has at least two columns, because a line with one empty cell is an empty line.
const table = fc
  .integer({ min: 2, max: 5 })
  .chain((columns) => fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 8 }));

const cells = (records: readonly CsvRecord[]): string[][] => records.map((record) => record.cells.map(unguarded));

/** Reads a text that arrives in pieces. */
function inPieces(text: string, sizes: readonly number[]): CsvRecord[] {
  const reader = new CsvReader();
  const records: CsvRecord[] = [];
  let place = 0;
  for (let turn = 0; place < text.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    records.push(...reader.push(text.slice(place, place + size)));
    place += size;
  }
  return [...records, ...reader.end()];
}

test('what is written is read back unchanged, without any problem', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const records = parseCsv(rows.map(csvLine).join(''));
      expect(records.filter(({ problem }) => problem !== undefined)).toEqual([]);
      expect(cells(records)).toEqual(rows);
    }),
  );
});

test('no spreadsheet runs a written text, and numbers stay numbers', () => {
  fc.assert(fc.property(cell, (text) => expect(parseCsv(csvLine([text, 'x']))[0]?.cells[0]).not.toMatch(/^[=+\-@\t\r\n]/)));
  expect(csvLine([-5, '-5', null, '@a', "'=b", "it's"])).toBe("-5,'-5,,'@a,''=b,it's\r\n");
});

test.each(['=', '+', '-', '@', '＝', '＋', '－', '＠'])(
  'a cell that begins with %s is no formula in a spreadsheet, even after blanks, and is imported unchanged',
  (sign) => {
    for (const blanks of ['', ' ', '   ', '\t', '\u00a0', '\u3000', '\r\n ']) {
      const text = `${blanks}${sign}HYPERLINK("https://evil.example")`;
      const [written = ''] = parseCsv(csvLine([text, 'other']))[0]!.cells;
      expect(written).toBe(`'${text}`);
      expect(unguarded(written)).toBe(text);
    }
    expect(csvLine([`a ${sign} b`, 'other'])).toBe(`a ${sign} b,other\r\n`);
  },
);

test('pieces may end anywhere, even within a line end or a doubled quote', () => {
  fc.assert(
    fc.property(table, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }), (rows, sizes) => {
      const text = rows.map(csvLine).join('');
      expect(inPieces(text, sizes)).toEqual(parseCsv(text));
    }),
  );
});

test('a record has the number of its first line, as an editor counts lines', () => {
  const text = '\uFEFFkey,note\r\nA,"one\r\ntwo\nthree"\r\n\r\nB,x\rC,y\n';
  expect(parseCsv(text).map(({ line, cells: [first] }) => [line, first])).toEqual([
    [1, 'key'],
    [2, 'A'],
    [6, 'B'],
    [7, 'C'],
  ]);
});

test.each([
  [
    'semicolons',
    'a;b\r\n1;"2;3"\r\n',
    [
      ['a', 'b'],
      ['1', '2;3'],
    ],
  ],
  [
    'tabs',
    'a\tb\n1\t2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a comma in a quoted name',
    '"a,b";c\n1;2',
    [
      ['a,b', 'c'],
      ['1', '2'],
    ],
  ],
  ['one column', 'a\n1\n', [['a'], ['1']]],
  ...['sep=;', '\uFEFFsep=;', '"sep=;"', 'SEP=;'].map((line): [string, string, string[][]] => [
    `${line}, as Excel writes it`,
    `${line}\r\na,b;c\r\n1;2,3\r\n`,
    [
      ['a,b', 'c'],
      ['1', '2,3'],
    ],
  ]),
  [
    'sep= with another separator',
    'sep=|\na|b\n1|2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['sep= alone', 'sep=;', []],
  ['an empty text', '', []],
  [
    'empty cells at the end',
    'a,b\n,\n',
    [
      ['a', 'b'],
      ['', ''],
    ],
  ],
  [
    'blanks around quotes',
    'a,b\n "1" , 2\n',
    [
      ['a', 'b'],
      ['1', ' 2'],
    ],
  ],
  [
    'a quote within text',
    'a,b\n5" disk,2\n',
    [
      ['a', 'b'],
      ['5" disk', '2'],
    ],
  ],
])('%s are read', (_case, text, expected) => expect(cells(parseCsv(text))).toEqual(expected));

test.each([
  ['a quote that is never closed', 'a,b\n1,"2\n3,4\n', [2, 'a quoted cell has no closing quote']],
  ['text behind a closed quote', 'a,b\n1,"2"x\n3,4\n', [2, 'text follows the closing quote of a cell']],
])('%s is a problem of its line, not a guess', (_case, text, expected) => {
  const broken = parseCsv(text).filter(({ problem }) => problem !== undefined);
  expect(broken.map(({ line, problem }) => [line, problem])).toEqual([expected]);
});
