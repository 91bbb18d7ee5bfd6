import type { APIGatewayProxyEvent } from 'aws-lambda';
import { listMediaTypes, type Endpoint, type ListMediaType } from '../../contract/endpoint';
import { csvLine } from '../../domain/csv';
import { header } from './request';
import { strip } from './strip';

/**
 * The media types of lists. The functions select the media type that a request accepts (RFC 9110, section 12.5.1), and format rows in that
 * type.
 */

/** The format of the rows of a list. */
export interface ListFormat {
  readonly contentType: string;
  /** The text before the first row of a list. */
  readonly head: string;
  /** The text of a row, with its line end. `source` is the row before undeclared fields were removed. */
  readonly row: (view: unknown, source?: unknown) => string;
}

const JSON_TYPE = 'application/json';

interface Range {
  readonly type: string;
  readonly quality: number;
}

const rangesOf = (accept: string): Range[] =>
  accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, quality: weight === undefined ? 1 : Math.min(1, Math.max(0, Number(weight.slice(2)) || 0)) };
  });

/**
 * Finds the most specific range of the `Accept` header that matches a media type. Returns the quality value of this range, and how specific
 * the range is.
 */
function wanted(type: string, ranges: readonly Range[]): { readonly quality: number; readonly precision: number } {
  const [family = ''] = type.split('/');
  for (const [index, pattern] of [type, `${family}/*`, '*/*'].entries()) {
    const range = ranges.find((candidate) => candidate.type === pattern);
    if (range) return { quality: range.quality, precision: 3 - index };
  }
  return { quality: 0, precision: 0 };
}

/**
 * The media type in which a request prefers to receive a response; undefined stands for JSON. JSON is also chosen if the request accepts
 * all types equally.
 *
 * @param types the types that are available beside JSON
 */
export function preferredType<Type extends string>(accept: string | undefined, types: readonly Type[]): Type | undefined {
  const ranges = rangesOf(accept ?? '*/*');
  let best: Type | undefined;
  let most = wanted(JSON_TYPE, ranges);
  for (const type of types) {
    const one = wanted(type, ranges);
    if (one.quality > most.quality || (one.quality > 0 && one.quality === most.quality && one.precision > most.precision))
      [best, most] = [type, one];
  }
  return best;
}

/** The media type in which a request prefers to receive a list; undefined stands for JSON. */
export const mediaTypeOf = (accept: string | undefined): ListMediaType | undefined => preferredType(accept, listMediaTypes);

/** The format in which a request prefers to receive a list; undefined stands for JSON. */
export function formatOf(row: Endpoint, event: Pick<APIGatewayProxyEvent, 'headers' | 'queryStringParameters'>): ListFormat | undefined {
  if (!row.columns) return undefined;
  const columns = row.columns.filter(({ include }) => include === undefined || include === event.queryStringParameters?.['include']);
  switch (mediaTypeOf(header(event, 'accept'))) {
    case 'text/csv':
      return {
        contentType: 'text/csv; charset=utf-8; header=present',
        head: csvLine(columns.map(({ name }) => name)),
        row: (view, source = view) => csvLine(columns.map(({ include, value }) => value((include === undefined ? view : source) as never))),
      };
    case 'application/x-ndjson':
      return {
        contentType: 'application/x-ndjson',
        head: '',
        row: (view, source = view) => {
          const added = columns.filter(({ inNdjson }) => inNdjson).map(({ name, value }) => [name, value(source as never)]);
          return `${JSON.stringify({ ...(view as object), ...Object.fromEntries(added) })}\n`;
        },
      };
    case undefined:
      return undefined;
  }
}

/** Formats a list as text in the requested format. Each row contains only the fields that the contract declares. */
export const listBody = (row: Endpoint, { head, row: write }: ListFormat, views: readonly unknown[], withSecrets: boolean): string => {
  const stripped = strip(row.response, views, withSecrets) as readonly unknown[];
  return head + stripped.map((view, place) => write(view, views[place])).join('');
};
