import { getService } from '../contract/service';
import { parseConfig } from '../runtime/config';
import { basePath, isThroughDistribution } from '../runtime/http/response';
import { serveStatic } from '../runtime/http/serve-static';
import { SERVICE, VERSION } from '../runtime/version';

export const handler = serveStatic(getService, (event) => {
  const base = basePath(event);
  // The links to pages use the distribution's address, because the API's own address serves no pages.
  const pages = isThroughDistribution(event) ? base : (parseConfig(process.env).publicUrl ?? base);
  return { service: SERVICE, version: VERSION, docs: `${pages}/docs`, admin: `${pages}/admin`, healthz: `${base}/healthz` };
});
