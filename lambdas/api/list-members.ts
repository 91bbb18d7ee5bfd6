import { listMembers } from '../contract/members';
import { operator, serve } from '../runtime/http';
import { pageLimit } from '../runtime/http/paging';
import { pageOfMembers } from '../use-cases/members';

export const handler = serve(listMembers, operator, ({ params, query, app }) =>
  pageOfMembers(app, params.id, { cursor: query.cursor, limit: pageLimit(query.limit) }),
);
