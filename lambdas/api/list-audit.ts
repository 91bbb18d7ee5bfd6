import { listAudit } from '../contract/audit';
import { auditEntryView } from '../domain/audit';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import * as audit from '../store/audit';

export const handler = serve(listAudit, operator, async ({ query: { cursor, limit, include, ...filter }, actor, app }) => {
  // A token that is bound to a product sees only entries about that product.
  const bound = actor.product_id;
  if (bound !== null && filter.product_id !== undefined && filter.product_id !== bound) return [];
  const { entries, next, unreadable } = await audit.listAudit(
    app.table,
    { ...filter, ...(bound !== null && { product_id: bound }) },
    cursor,
    pageLimit(limit),
  );
  const licenses = include && (await audit.licensesOfAudit(app.table, entries));
  return pageOf(entries, next, audit.auditPosition, (entry) => auditEntryView(entry, licenses), unreadable);
});
