import { revokeLicense } from '../contract/licenses';
import { revoke } from '../domain/license-operations';
import { changeAndShow } from '../use-cases/change-license';
import { serve } from '../runtime/http/serve';

export const handler = serve(revokeLicense, (call) => changeAndShow(call, (license) => revoke(license, call.now)));
