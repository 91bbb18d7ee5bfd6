import { isFailure } from '../contract/errors';
import { putMember } from '../contract/members';
import { memberView } from '../domain/member';
import { operator, serve } from '../runtime/http';
import { Reply } from '../runtime/http/response';
import { readDevicesOf } from '../store/members';
import * as members from '../use-cases/members';

export const handler = serve(putMember, operator, async ({ params, body, app, now }) => {
  const result = await members.putMember({ app, now, licenseId: params.id }, body);
  if (isFailure(result)) return result;
  const { license, member, isNew } = result;
  const view = memberView(member, license, await readDevicesOf(app.table, license, [member]));
  return isNew ? view : new Reply(view, { status: 200 });
});
