import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { addressInBrackets } from '../../../lambdas/domain/email';
import { ApiError, callList, type License, type Page } from '../api';
import { PAGE_ROWS } from './license-list';

/** The search for licenses in all products. */

/** A search of one kind, with the cursor of its next page. */
interface Search {
  readonly by: { readonly [by in 'q' | 'customer_email' | 'order' | 'fingerprint']?: string };
  /** The search that follows if this search finds nothing. */
  readonly otherwise?: Search['by'];
  readonly cursor?: string;
}

/**
 * The searches for typed text. `q` finds licenses whose key, e-mail address, name or order id begins with the text, but returns only one
 * page. Therefore text with an `@` is first looked up as a complete e-mail address, which finds all licenses of the buyer. Other text is
 * looked up with `q`, as one of the ids of an order, and as the fingerprint of a device.
 */
function searchesFor(search: string): readonly Search[] {
  const text = addressOf(search) ?? search.trim();
  return text.includes('@')
    ? [{ by: { customer_email: text }, otherwise: { q: text } }]
    : [{ by: { q: text } }, { by: { order: text } }, { by: { fingerprint: text } }];
}

/** The e-mail address in a text such as `Ada Lovelace <ada@example.com>` or `ada@example.com`; undefined if the text contains none. */
export function addressOf(search: string): string | undefined {
  const text = addressInBrackets(search) ?? search.trim();
  return text.includes('@') && !/\s/.test(text) ? text : undefined;
}

/**
 * Runs searches. Returns the licenses that were found, and in `next` the searches whose results have another page. A search whose text the
 * API refuses (422) finds nothing, and the other searches are not affected.
 */
async function findPage(searches: readonly Search[], signal: AbortSignal): Promise<{ rows: readonly License[]; next?: readonly Search[] }> {
  const found = await Promise.all(
    searches.map(async ({ by, otherwise, cursor }) => {
      const pageOf = (wanted: Search['by']): Promise<Page<License>> =>
        callList('searchLicenses', { query: { limit: String(PAGE_ROWS), ...wanted, ...(cursor !== undefined && { cursor }) } }, { signal });
      try {
        const first = await pageOf(by);
        const page = otherwise && first.rows.length === 0 ? await pageOf(otherwise) : first;
        return { rows: page.rows, next: page.next === undefined ? [] : [{ by, cursor: page.next }] };
      } catch (error) {
        if (error instanceof ApiError && error.status === 422) return { rows: [], next: [] };
        throw error;
      }
    }),
  );
  const next = found.flatMap((page) => page.next);
  return { rows: found.flatMap(({ rows }) => rows), ...(next.length > 0 && { next }) };
}

/** Finds licenses of all products by the buyer's e-mail address, a key, an order or a device. */
export function useFind(search: string) {
  const query = useInfiniteQuery({
    queryKey: ['find', search],
    queryFn: ({ pageParam, signal }) => findPage(pageParam, signal),
    initialPageParam: searchesFor(search),
    getNextPageParam: ({ next }) => next,
  });
  const { data } = query;
  // Several searches may find the same license.
  const licenses = useMemo(
    () => data && [...new Map(data.pages.flatMap(({ rows }) => rows).map((license) => [license.id, license])).values()],
    [data],
  );
  return { ...query, data: licenses };
}
