import { suspendLicense } from '../contract/license-operations';
import { suspend } from '../domain/license-operations';
import { operator, serve } from '../runtime/http';
import { applyAndShow } from '../use-cases/change-license';

export const handler = serve(suspendLicense, operator, (call) =>
  applyAndShow(call, (license) => suspend(license, { reason: call.body.reason || null, by: 'operator', cause: 'operator' }, call.now)),
);
