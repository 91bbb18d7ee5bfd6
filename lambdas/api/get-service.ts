import { getService } from '../contract/service';
import { basePath } from '../runtime/response';
import { serve } from '../runtime/serve';
import { SERVICE, VERSION } from '../runtime/version';

export const handler = serve(getService, ({ event }) => {
  const base = basePath(event);
  return { service: SERVICE, version: VERSION, docs: `${base}/docs`, admin: `${base}/admin`, healthz: `${base}/healthz` };
});
