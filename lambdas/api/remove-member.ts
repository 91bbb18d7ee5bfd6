import { removeMember } from '../contract/members';
import { operator, serve } from '../runtime/http';
import * as members from '../use-cases/members';

export const handler = serve(removeMember, operator, ({ params, app, now }) =>
  members.removeMember({ app, now, licenseId: params.id }, params.member_id),
);
