import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { countUpTo } from './text';

/** Maximum number of rows on one page of a list. */
export const MAX_PAGE_ROWS = 1000;

const FOREIGN = { error: 'is not a cursor of this list' };

/** Matches base64url of at most 200 characters that encodes whole bytes, so that `atob` can decode every text that matches. */
const BASE64URL = /^(?=.{1,200}$)(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$/;

/**
 * Encodes a position of a list as a cursor. The position must be ASCII. Only functions that browsers also have are used, because the admin
 * page loads the contract.
 */
export const encodeCursor = (position: string | number): string =>
  btoa(String(position)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const decodeCursor = (cursor: string): string => atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));

/**
 * The query parameters of every paged list. The schema decodes the cursor to a position of the list.
 *
 * @param shape the format of the positions of this list
 */
export const pageBy = (shape: RegExp) => ({
  limit: documented(z.optional(countUpTo(MAX_PAGE_ROWS)), { description: 'Maximum number of rows to return; default 1,000.' }),
  cursor: documented(
    z.optional(
      z.pipe(
        z.pipe(checked(z.string(), z.regex(BASE64URL, FOREIGN)), z.transform(decodeCursor)),
        checked(z.string(), z.regex(shape, FOREIGN)),
      ),
    ),
    { description: 'The position after the previous page, from the `Link` header of the previous response.' },
  ),
});

/** The query parameters of a list that is sorted by time. The entries have ids of 32 hex digits. */
export const pageByTime = pageBy(/^\d{16}#[0-9a-f]{32}$/);

/** The query parameters of a list that is sorted by ids. */
export const pageById = pageBy(/^\d{1,16}$/);
