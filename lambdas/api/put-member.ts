import { putMember } from '../contract/members';
import { operator, serve } from '../runtime/http';
import * as members from '../use-cases/members';

export const handler = serve(putMember, operator, async ({ params, body, app, now }) =>
  members.putReply(app, await members.putMember({ app, now, licenseId: params.id }, body)),
);
