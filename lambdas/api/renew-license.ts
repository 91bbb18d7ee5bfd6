import { renewLicense } from '../contract/licenses';
import { renew } from '../domain/license';
import { changeAndShow } from '../runtime/license-change';
import { serve } from '../runtime/serve';

export const handler = serve(renewLicense, (call) => changeAndShow(call, (license) => renew(license, call.body, call.now)));
