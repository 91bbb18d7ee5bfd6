import { revokeLicense } from '../contract/licenses';
import { revoke } from '../domain/license-operations';
import { applyAndShow } from '../use-cases/change-license';
import { serve } from '../runtime/http/serve';

export const handler = serve(revokeLicense, (call) => applyAndShow(call, (license) => revoke(license, call.now, call.body.reason || null)));
