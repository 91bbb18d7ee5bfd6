import { listTokens } from '../contract/tokens';
import { adminTokenView } from '../domain/admin-token';
import { pageLimit, pageOf } from '../runtime/http/paging';
import { operator, serve } from '../runtime/http';
import { listAdminTokens } from '../store/admin-tokens';

export const handler = serve(listTokens, operator, async ({ query, app }) => {
  const { tokens, unreadable, next } = await listAdminTokens(app.table, Number(query.cursor ?? 0), pageLimit(query.limit));
  return pageOf(tokens, next, ({ id }) => id, adminTokenView, unreadable);
});
