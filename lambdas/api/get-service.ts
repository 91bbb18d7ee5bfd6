import { getService } from '../contract/service';
import { basePath } from '../runtime/response';
import { serve } from '../runtime/serve';
import { SERVICE, VERSION } from '../runtime/version';

export const handler = serve(getService, ({ event, app }) => {
  const base = basePath(event);
  // The API's own address has a base path and no pages.
  const pages = base === '' ? '' : (app.config.publicUrl ?? base);
  return { service: SERVICE, version: VERSION, docs: `${pages}/docs`, admin: `${pages}/admin`, healthz: `${base}/healthz` };
});
