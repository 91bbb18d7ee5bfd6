import * as z from 'zod';
import { endpoint } from './endpoint';

export const getService = endpoint({
  name: 'getService',
  method: 'GET',
  path: '/',
  tag: 'Service',
  summary: 'Service information',
  description:
    'The name of the service, with links to its documentation, admin page and liveness probe. The links use the address that the request was sent to.',
  credential: 'none',
  status: 200,
  response: z
    .object({
      service: z.string(),
      version: z.string(),
      docs: z.string().meta({ description: 'The interactive documentation.' }),
      admin: z.string().meta({ description: "The operator's page." }),
      healthz: z.string().meta({ description: 'The liveness probe.' }),
    })
    .meta({ id: 'Service' }),
  errors: [],
  store: {},
  settings: ['publicUrl'],
  examples: {
    response: { service: 'license-key-service', version: '0.1.0', docs: '/docs', admin: '/admin', healthz: '/healthz' },
  },
});

export const getHealth = endpoint({
  name: 'getHealth',
  method: 'GET',
  path: '/healthz',
  tag: 'Service',
  summary: 'Liveness probe',
  description: 'Responds with `ok` while the service is alive. Reads no data.',
  credential: 'none',
  status: 200,
  response: z
    .object({ status: z.string().meta({ description: '`ok` while the service is alive.' }), service: z.string() })
    .meta({ id: 'Health' }),
  errors: [],
  store: {},
  examples: { response: { status: 'ok', service: 'license-key-service' } },
});

export const getOpenapi = endpoint({
  name: 'getOpenapi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Service',
  summary: 'This API as an OpenAPI 3.1 document',
  description: 'The document behind the interactive documentation, derived from the same table as the endpoints themselves.',
  credential: 'none',
  status: 200,
  response: z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApiDocument' }),
  errors: [],
  store: {},
  maxAgeSeconds: 300,
  // The limit is low, because CloudFront caches the large response. Few requests reach the function.
  throttle: { rate: 50, burst: 100 },
  examples: { response: { openapi: '3.1.0' } },
});
