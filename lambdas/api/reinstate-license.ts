import { reinstateLicense } from '../contract/license-operations';
import { reinstate } from '../domain/license-operations';
import { operator, serve } from '../runtime/http';
import { applyAndShow } from '../use-cases/change-license';

export const handler = serve(reinstateLicense, operator, (call) => applyAndShow(call, (license) => reinstate(license, call.now)));
