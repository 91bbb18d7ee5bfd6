import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { csvLine } from '../../../lambdas/domain/csv';
import { callList, type AuditEntry, type Page } from '../api';
import { auditColumns } from '../audit-columns';
import type { CsvPage } from './csv';
import { instantsOf, type DayRange } from './days';

/** Queries of the audit log. */

/** A filter of the audit log; empty for all entries. */
export interface AuditFilter {
  readonly product?: string | undefined;
  readonly license?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** Days, both included. */
  readonly days?: DayRange | undefined;
}

function readAudit({ product, license, actor, action, days }: AuditFilter, limit: number, cursor: string | undefined, signal: AbortSignal) {
  const { after, before } = instantsOf(days);
  return callList(
    'listAudit',
    {
      query: {
        limit: String(limit),
        include: 'licenses',
        ...(product && { product_id: product }),
        ...(license && { license_id: license }),
        ...(actor && { actor }),
        ...(action && { action }),
        ...(after !== undefined && { created_after: after }),
        ...(before !== undefined && { created_before: before }),
        ...(cursor !== undefined && { cursor }),
      },
    },
    { signal },
  );
}

/** All entries that match a filter, as pages of a CSV file. The first page contains the column names. */
export async function* exportAudit(filter: AuditFilter, signal: AbortSignal): AsyncGenerator<CsvPage> {
  let head: readonly string[] = [csvLine(auditColumns.map(({ name }) => name))];
  let cursor: string | undefined;
  do {
    const page: Page<AuditEntry> = await readAudit(filter, 500, cursor, signal);
    const lines = page.rows.map((entry) => csvLine(auditColumns.map(({ value }) => value(entry))));
    yield { text: [...head, ...lines].join(''), unreadable: page.unreadable };
    head = [];
    cursor = page.next;
  } while (cursor !== undefined);
}

export const useAudit = (filter: AuditFilter) =>
  useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) => readAudit(filter, 50, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
