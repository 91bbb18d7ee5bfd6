import { revokeLicense } from '../contract/licenses';
import { revoke } from '../domain/license-operations';
import { applyAndShow } from '../use-cases/change-license';
import { operator, serve } from '../runtime/http';

export const handler = serve(revokeLicense, operator, (call) =>
  applyAndShow(call, (license) => revoke(license, call.now, call.body.reason || null)),
);
