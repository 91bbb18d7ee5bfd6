import { fail } from '../contract/errors';
import { listMembers } from '../contract/members';
import { operator, serve } from '../runtime/http';
import { pageLimit } from '../runtime/http/paging';
import { getLicense } from '../store/licenses/read';
import { pageOfMembers } from '../use-cases/members';

export const handler = serve(listMembers, operator, async ({ params, query, app }) => {
  const license = await getLicense(app.table, params.id);
  if (!license) return fail('not_found', 'There is no such license');
  return pageOfMembers(app, license, { cursor: query.cursor, limit: pageLimit(query.limit) });
});
