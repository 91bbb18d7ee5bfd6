import { revokeLicense } from '../contract/licenses';
import { revoke } from '../domain/license';
import { changeAndShow } from '../runtime/license-change';
import { serve } from '../runtime/serve';

export const handler = serve(revokeLicense, (call) => changeAndShow(call, (license) => revoke(license, call.now)));
