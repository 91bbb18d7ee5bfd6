import { renewUpdates } from '../contract/licenses';
import * as domain from '../domain/license-operations';
import { operator, serve } from '../runtime/http';
import { applyAndShow } from '../use-cases/change-license';

export const handler = serve(renewUpdates, operator, (call) =>
  applyAndShow(call, (license) => domain.renewUpdates(license, call.body, call.now)),
);
