import { isFailure } from '../contract/errors';
import { listPortalMembers } from '../contract/portal-members';
import { managingRefusal } from '../domain/portal/members';
import { buyer, serve } from '../runtime/http';
import { pageLimit } from '../runtime/http/paging';
import { pageOfMembers } from '../use-cases/members';

export const handler = serve(listPortalMembers, buyer, async ({ app, query, openLicense }) => {
  const open = await openLicense();
  if (isFailure(open)) return open;
  return (
    managingRefusal(open.license, open.access) ?? pageOfMembers(app, open.license, { cursor: query.cursor, limit: pageLimit(query.limit) })
  );
});
