import type * as z from 'zod/mini';
import { serviceRoute, type getService } from '../contract/service';
import { parseConfig } from '../runtime/config';
import { basePath, isThroughDistribution } from '../runtime/http/response';
import { serveStatic } from '../runtime/http/serve-static';
import { SERVICE, VERSION } from '../runtime/version';

type Service = z.input<(typeof getService)['response']>;

export const handler = serveStatic(serviceRoute, (event) => {
  const base = basePath(event);
  // The links to pages use the distribution's address, because the API's own address serves no pages.
  const pages = isThroughDistribution(event) ? base : (parseConfig(process.env).publicUrl ?? base);
  return JSON.stringify({
    service: SERVICE,
    version: VERSION,
    docs: `${pages}/docs`,
    admin: `${pages}/admin`,
    healthz: `${base}/healthz`,
  } satisfies Service);
});
