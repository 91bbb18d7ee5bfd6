import { fail, isFailure, type Failure } from '../contract/errors';
import { MAX_PAGE_ROWS } from '../contract/resources';

/** Lists are bare arrays; where more remains, a `Link` header points at the next page (RFC 8288). */
export class Page<Row> {
  constructor(
    readonly rows: readonly Row[],
    /** The cursor of the next page, where there is one. */
    readonly next: string | undefined,
  ) {}
}

/** Most bytes in one page: with room to spare below the 6 MB that Lambda can answer. */
const MAX_PAGE_BYTES = 5_000_000;

/** The size of a row in Lambda's answer, which carries the body as a string within JSON. */
const answerBytes = (row: unknown): number => Buffer.byteLength(JSON.stringify(JSON.stringify(row)));

const encode = (position: string | number): string => Buffer.from(String(position)).toString('base64url');

/** The position that a cursor names; a cursor that no list of this kind gave is refused. */
export function cursorText(cursor: string | undefined, shape: RegExp): Failure | string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  return shape.test(text) ? text : fail('invalid_request', 'query cursor: is not a cursor of this list');
}

/** The id after which a page of a list in id order starts. */
export function afterId(cursor: string | undefined): Failure | number {
  const text = cursorText(cursor, /^\d{1,16}$/);
  return isFailure(text) ? text : Number(text ?? 0);
}

export const pageLimit = (limit: number | undefined): number => limit ?? MAX_PAGE_ROWS;

/**
 * A page of records, each shown by `view`. A page too large to answer is cut sooner.
 *
 * @param next the position behind which more remains
 * @param position a record's position in the list
 */
export function pageOf<Row, View>(
  records: readonly Row[],
  next: string | number | undefined,
  position: (record: Row) => string | number,
  view: (record: Row) => View,
): Page<View> {
  const views: View[] = [];
  let bytes = 0;
  for (const [place, record] of records.entries()) {
    const shown = view(record);
    bytes += answerBytes(shown);
    const before = records[place - 1];
    if (bytes > MAX_PAGE_BYTES && before) return new Page(views, encode(position(before)));
    views.push(shown);
  }
  return new Page(views, next === undefined ? undefined : encode(next));
}
