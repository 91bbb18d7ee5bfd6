import { encodeCursor, MAX_PAGE_ROWS } from '../../contract/paging';

/**
 * A page of a list. A response contains the rows as a bare array. If there are more rows, a `Link` header points to the next page (RFC
 * 8288).
 */
export class Page<Row> {
  constructor(
    readonly rows: readonly Row[],
    /** The cursor of the next page, if there is one. */
    readonly next: string | undefined,
    /** Number of rows that the page leaves out, because this version could not read them. */
    readonly unreadable = 0,
  ) {}
}

/** Maximum size of a page, in bytes: well below Lambda's limit of 6 MB for a response. */
const MAX_PAGE_BYTES = 5_000_000;

/** The size of a text within Lambda's response, which contains the body as a JSON string. */
export const responseBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

export const pageLimit = (limit: number | undefined): number => limit ?? MAX_PAGE_ROWS;

/**
 * A page of records, each converted by `view`. A page that is too large for a response is shortened.
 *
 * @param next the position after which there are more records; undefined if there are no more
 * @param position a record's position in the list
 * @param unreadable number of rows that could not be read
 * @param write formats a row for the response
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
