import { getService } from '../contract/service';
import { parseConfig } from '../runtime/config';
import { basePath } from '../runtime/http/response';
import { serveStatic } from '../runtime/http/serve-static';
import { SERVICE, VERSION } from '../runtime/version';

export const handler = serveStatic(getService, (event) => {
  const base = basePath(event);
  // The API's own address has a base path and no pages.
  const pages = base === '' ? '' : (parseConfig(process.env).publicUrl ?? base);
  return { service: SERVICE, version: VERSION, docs: `${pages}/docs`, admin: `${pages}/admin`, healthz: `${base}/healthz` };
});
