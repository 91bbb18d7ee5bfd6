import { encodeCursor, MAX_PAGE_ROWS } from '../../contract/paging';

/** Lists are bare arrays; if more remains, a `Link` header points at the next page (RFC 8288). */
export class Page<Row> {
  constructor(
    readonly rows: readonly Row[],
    /** The cursor of the next page, if there is one. */
    readonly next: string | undefined,
    /** How many rows of the page this version could not read, and left out. */
    readonly unreadable = 0,
  ) {}
}

/** Maximum bytes in one page: with room to spare below the 6 MB of a Lambda response. */
const MAX_PAGE_BYTES = 5_000_000;

/** The size of text in Lambda's response, which carries the body as a string within JSON. */
export const responseBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

export const pageLimit = (limit: number | undefined): number => limit ?? MAX_PAGE_ROWS;

/**
 * A page of records, each shown by `view`. A page too large for a response is cut short.
 *
 * @param next the position behind which more remains
 * @param position a record's position in the list
 * @param unreadable how many rows could not be read
 * @param write how a row is written in the response
 */
export function pageOf<Row, View>(
  records: readonly Row[],
  next: string | number | undefined,
  position: (record: Row) => string | number,
  view: (record: Row) => View,
  unreadable = 0,
  write: (row: View) => string = JSON.stringify,
): Page<View> {
  const views: View[] = [];
  let bytes = 0;
  for (const [index, record] of records.entries()) {
    const shown = view(record);
    bytes += responseBytes(write(shown));
    const before = records[index - 1];
    if (bytes > MAX_PAGE_BYTES && before) return new Page(views, encodeCursor(position(before)), unreadable);
    views.push(shown);
  }
  return new Page(views, next === undefined ? undefined : encodeCursor(next), unreadable);
}
