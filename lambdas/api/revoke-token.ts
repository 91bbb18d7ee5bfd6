import { fail } from '../contract/errors';
import { revokeToken } from '../contract/tokens';
import { operator, serve } from '../runtime/http';
import { revokeAdminToken } from '../store/admin-tokens';

export const handler = serve(revokeToken, operator, async ({ params, app }) => {
  app.table.audit?.describe({ target: `token/${params.id}` });
  const revoked = await revokeAdminToken(app.table, params.id);
  if (revoked) app.tokens.forget(params.id);
  return revoked === undefined ? fail('not_found', 'There is no such token') : { revoked };
});
