import { renewLicense } from '../contract/licenses';
import { renew } from '../domain/license-operations';
import { applyAndShow } from '../use-cases/change-license';
import { operator, serve } from '../runtime/http';

export const handler = serve(renewLicense, operator, (call) =>
  applyAndShow(call, (license) => renew(license, { ...call.body, beginsTerm: Object.keys(call.body).length === 0 }, call.now)),
);
