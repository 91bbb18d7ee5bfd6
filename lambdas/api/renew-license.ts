import { renewLicense } from '../contract/licenses';
import { renew } from '../domain/license-operations';
import { applyAndShow } from '../use-cases/change-license';
import { serve } from '../runtime/http/serve';

export const handler = serve(renewLicense, (call) => applyAndShow(call, (license) => renew(license, call.body, call.now)));
