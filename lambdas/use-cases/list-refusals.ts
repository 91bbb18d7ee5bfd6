import { isAfter, refusalPosition, refusalView, shownRefusals, type Refusal } from '../domain/refusal';
import type { RefusalView } from '../contract/refusals';
import type { App } from '../runtime/app';
import { pageLimit, pageOf, type Page } from '../runtime/http/paging';
import { readRefusals, type RefusalSubject } from '../store/refusals';

/** Returns a page of refused requests, newest first: requests about a license, or requests to a product with unknown license keys. */
export async function listRefusals(
  { table }: App,
  subject: RefusalSubject,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  now: number,
): Promise<Page<RefusalView>> {
  const { entities, unreadable } = await readRefusals(table, subject);
  const rows = shownRefusals(entities, subject, now).filter((row) => cursor === undefined || isAfter(row, cursor));
  const shown: readonly Refusal[] = rows.slice(0, pageLimit(limit));
  const last = shown.at(-1);
  return pageOf(shown, last && rows.length > shown.length ? refusalPosition(last) : undefined, refusalPosition, refusalView, unreadable);
}
