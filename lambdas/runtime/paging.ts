import { fail, type Failure } from '../contract/errors';
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

/** The id after which a page starts; a cursor that no list of ids gave is refused. */
export function afterId(cursor: string | undefined): Failure | number {
  if (cursor === undefined) return 0;
  const text = Buffer.from(cursor, 'base64url').toString();
  return /^\d{1,16}$/.test(text) ? Number(text) : fail('invalid_request', 'query cursor: is not a cursor of this list');
}

export const pageLimit = (limit: number | undefined): number => limit ?? MAX_PAGE_ROWS;

/** A page of rows with ids: `next` is the id after which more remains; a page too large to answer is cut sooner. */
export function pageOf<Row extends { readonly id: number | string }>(rows: readonly Row[], next: number | string | undefined): Page<Row> {
  let bytes = 0;
  for (const [place, row] of rows.entries()) {
    bytes += answerBytes(row);
    const last = rows[place - 1];
    if (bytes > MAX_PAGE_BYTES && last) return new Page(rows.slice(0, place), encode(last.id));
  }
  return new Page(rows, next === undefined ? undefined : encode(next));
}
