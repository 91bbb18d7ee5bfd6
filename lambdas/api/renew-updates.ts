import { renewUpdates } from '../contract/licenses';
import * as domain from '../domain/license-operations';
import { serve } from '../runtime/http/serve';
import { applyAndShow } from '../use-cases/change-license';

export const handler = serve(renewUpdates, (call) => applyAndShow(call, (license) => domain.renewUpdates(license, call.body, call.now)));
