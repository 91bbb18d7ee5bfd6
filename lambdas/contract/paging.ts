import * as z from 'zod';
import { countUpTo } from './text';

/** Maximum number of rows in one page of a list. */
export const MAX_PAGE_ROWS = 1000;

const limit = countUpTo(MAX_PAGE_ROWS).optional().meta({ description: 'Maximum number of rows to return; default 1,000.' });

const FOREIGN = { error: 'is not a cursor of this list' };

/** Whole bytes in base64url, which `atob` takes without fail. */
const BASE64URL = /^(?=.{1,200}$)(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$/;

/** The cursor that names a position, which is ASCII. By what browsers know too, for the contract is theirs as well. */
export const encodeCursor = (position: string | number): string =>
  btoa(String(position)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const decodeCursor = (cursor: string): string => atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));

/**
 * Paging, as every list takes it; the cursor is given on as the position that it names.
 *
 * @param shape what the positions of this list look like
 */
export const pageBy = (shape: RegExp) => ({
  limit,
  cursor: z
    .string()
    .regex(BASE64URL, FOREIGN)
    .transform(decodeCursor)
    .pipe(z.string().regex(shape, FOREIGN))
    .optional()
    .meta({ description: 'Where the previous page ended; taken from its `Link` header.' }),
});

/** Paging of a list in the order of time, whose entries have ids of 32 hex digits. */
export const pageByTime = pageBy(/^\d{16}#[0-9a-f]{32}$/);

/** Paging of a list in the order of ids. */
export const pageById = pageBy(/^\d{1,16}$/);
