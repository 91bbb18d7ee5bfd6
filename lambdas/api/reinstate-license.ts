import { reinstateLicense } from '../contract/license-operations';
import { reinstate } from '../domain/license-operations';
import { serve } from '../runtime/http/serve';
import { applyAndShow } from '../use-cases/change-license';

export const handler = serve(reinstateLicense, (call) => applyAndShow(call, (license) => reinstate(license, call.now)));
