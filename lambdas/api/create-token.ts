import { fail } from '../contract/errors';
import { limitsRenewals } from '../contract/scopes';
import { createToken, DEFAULT_RENEWAL_DAYS } from '../contract/tokens';
import { adminTokenView } from '../domain/admin-token';
import { ADMIN_TOKEN_BYTES, adminTokenHash, adminTokenOf } from '../domain/credentials';
import { operator, serve } from '../runtime/http';
import { createAdminToken, nextAdminTokenId } from '../store/admin-tokens';
import { getProduct } from '../store/products';

export const handler = serve(createToken, operator, async ({ body, app, now }) => {
  const { name, scopes, product_id = null, expires_at = null } = body;
  const renewal_days = limitsRenewals(scopes) ? (body.renewal_days ?? DEFAULT_RENEWAL_DAYS) : null;
  if (expires_at !== null && expires_at <= now) return fail('invalid_request', 'expires_at must be in the future');
  if (product_id !== null && !(await getProduct(app.table, product_id))) return fail('not_found', 'There is no such product');
  const token = { id: await nextAdminTokenId(app.table), name, scopes, product_id, renewal_days, expires_at, created_at: now };
  const secret = adminTokenOf(app.random(ADMIN_TOKEN_BYTES));
  app.table.audit?.describe({ product_id, target: `token/${token.id}` });
  await createAdminToken(app.table, token, adminTokenHash(secret));
  return { ...adminTokenView({ ...token, last_used_on: null }), token: secret };
});
