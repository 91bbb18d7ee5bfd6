import * as z from 'zod/mini';
import { documented } from './schema';
import { endpoint } from './endpoint';

/*
 * The functions of these endpoints import only the part of the row that is declared in front of it. It contains no schema, so the bundles
 * contain no zod, and the first response comes sooner.
 */

export const serviceRoute = { name: 'getService', path: '/', credential: 'none', status: 200 } as const;

export const getService = /* @__PURE__ */ endpoint(() => ({
  ...serviceRoute,
  method: 'GET',
  tag: 'Service',
  summary: 'Get information about the service',
  description:
    'Returns the name and version of the service, with links to its documentation, admin page and liveness probe. The links begin with the address to which the request was sent.',
  response: documented(
    z.object({
      service: z.string(),
      version: z.string(),
      docs: documented(z.string(), { description: 'The address of the interactive documentation.' }),
      admin: documented(z.string(), { description: 'The address of the admin page for operators.' }),
      healthz: documented(z.string(), { description: 'The address of the liveness probe.' }),
    }),
    { id: 'Service' },
  ),
  store: {},
  settings: ['publicUrl'],
  examples: {
    response: { service: 'license-key-service', version: '1.0.0', docs: '/docs', admin: '/admin', healthz: '/healthz' },
  },
}));

export const healthRoute = { name: 'getHealth', path: '/healthz', credential: 'none', status: 200 } as const;

export const getHealth = /* @__PURE__ */ endpoint(() => ({
  ...healthRoute,
  method: 'GET',
  tag: 'Service',
  summary: 'Check whether the service is alive',
  description: 'Responds with `ok` while the service is alive. This liveness probe reads no data.',
  response: documented(
    z.object({ status: documented(z.string(), { description: '`ok` while the service is alive.' }), service: z.string() }),
    { id: 'Health' },
  ),
  store: {},
  examples: { response: { status: 'ok', service: 'license-key-service' } },
}));

export const openapiRoute = { name: 'getOpenapi', path: '/openapi.json', credential: 'none', status: 200, maxAgeSeconds: 300 } as const;

export const getOpenapi = /* @__PURE__ */ endpoint(() => ({
  ...openapiRoute,
  method: 'GET',
  tag: 'Service',
  summary: 'Get this API as an OpenAPI 3.1 document',
  description:
    'Returns the OpenAPI document that the interactive documentation shows. The document is generated from the same table that defines the endpoints.',
  response: documented(z.looseObject({ openapi: z.string() }), { id: 'OpenApiDocument' }),
  store: {},
  // A low limit is enough: CloudFront caches the response, so few requests reach the function.
  throttle: { rate: 50, burst: 100 },
  examples: { response: { openapi: '3.1.0' } },
}));
