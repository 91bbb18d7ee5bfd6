import { endpoints } from '../../lambdas/contract';
import { isForApps } from '../../lambdas/contract/endpoint';
import { adminToken, expectError, get, newProduct, newShop, send, type Answer } from '../support/http';
import { serveInProcess } from '../support/in-process';

serveInProcess();

test('the response of the base URL links to the documentation, the admin page and the health check', async () => {
  const { status, body, headers } = await send('/');
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['admin', 'docs', 'healthz', 'service', 'version']);
  expect(body).toMatchObject({ service: 'license-key-service', docs: '/docs', admin: '/admin', healthz: '/healthz' });
  expect(body['version']).toMatch(/^\d+\.\d+\.\d+/);
  expect(headers['x-request-id']).toMatch(/\S/);
});

test('a load balancer sees that the service is alive, without a credential', async () => {
  const { status, text, headers } = await send('/healthz');
  expect([status, text]).toEqual([200, '{"status":"ok","service":"license-key-service"}']);
  expect(headers['content-type']).toMatch(/^application\/json/);
});

test('a developer can generate a client from the served document: it has every route', async () => {
  const { status, body } = await send<{ openapi: string; paths: Record<string, object> }>('/openapi.json');
  expect([status, body.openapi.slice(0, 4)]).toEqual([200, '3.1.']);
  const routes = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  for (const { method, path } of endpoints) expect(routes).toContain(`${method} ${path}`);
});

describe('an unknown path or method is 404 in the usual format', () => {
  test.each([
    ['GET', '/v1'],
    ['GET', '/v2/products'],
    ['GET', '/v1/Products'],
    ['GET', '/nothing'],
    ['GET', '/favicon.ico'],
    ['GET', '//'],
    ['GET', '/v1//products'],
    ['GET', '/v1/products//licenses'],
    ['GET', '/v1/products/1/licenses/2'],
    ['PUT', '/v1/licenses'],
    ['POST', '/v1/licenses/1'],
    ['GET', '/v1/licenses/1/revoke'],
    ['GET', '/v1/products/1/activate'],
    ['POST', '/v1/products/1/validate'],
    ['PUT', '/v1/products'],
    ['PUT', '/v1/products/1'],
    ['DELETE', '/v1/products/1'],
    ['DELETE', '/v1/licenses/1'],
    ['OPTIONS', '/v1/nothing'],
    ['GET', '/v1/products/1/%2e%2e/2'],
    ['GET', '/v1/products/1/../../healthz'],
    ['GET', '/%'],
  ])('%s %s', async (method, path) => {
    expectError(await send(path, { method, headers: { 'X-Svc-Admin-Token': adminToken() } }), 'not_found');
  });

  test('also with a signed Authorization header', async () => {
    expectError(await send('/v1/nothing', { headers: { Authorization: 'AWS4-HMAC-SHA256 Credential=x' } }), 'not_found');
  });

  test.each(['/', '/healthz', '/v1/products', '/v1/nothing'])('HEAD %s has a response without a body', async (path) => {
    const { status, text, headers } = await send(path, { method: 'HEAD', headers: { 'X-Svc-Admin-Token': adminToken() } });
    expect([status, text, headers['x-svc-error-code']]).toEqual([404, '', 'not_found']);
  });
});

describe('browsers', () => {
  const preflight = (path: string, method = 'POST'): Promise<Answer<unknown>> =>
    send(path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'content-type,x-api-key',
      },
    });
  const clientRoutes = endpoints.filter(isForApps);
  const otherRoutes = endpoints.filter((row) => !isForApps(row));

  test('the routes that web apps may call are those of the specification', () => {
    expect(clientRoutes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET /feeds/{slug}/electron/{channel}/{file}',
      'GET /feeds/{slug}/files/{version}/{filename}',
      'GET /feeds/{slug}/sparkle/{file}',
      'GET /feeds/{slug}/tauri/{channel}/{target}/{arch}/{current_version}',
      'GET /v1/products/{id}/purchase',
      'GET /v1/products/{id}/releases/latest',
      'GET /v1/products/{id}/releases/{version}/artifacts/{filename}',
      'GET /v1/products/{id}/validate',
      'POST /v1/products/{id}/activate',
      'POST /v1/products/{id}/activation-requests',
      'POST /v1/products/{id}/activation-requests/poll',
      'POST /v1/products/{id}/consume',
      'POST /v1/products/{id}/deactivate',
      'POST /v1/products/{id}/devices',
      'POST /v1/products/{id}/meters',
      'POST /v1/products/{id}/trial',
    ]);
  });

  test.each(clientRoutes.map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, '1')]))(
    'a web app may call %s %s',
    async (method, path) => {
      const { status, headers, text } = await preflight(path, method);
      expect([status, text]).toEqual([204, '']);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-methods']?.split(',')).toContain(method);
      expect(headers['access-control-allow-headers']?.toLowerCase().split(',')).toEqual(
        expect.arrayContaining(['content-type', 'x-api-key']),
      );
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['x-request-id']).toMatch(/\S/);
    },
  );

  test('a web app can read responses and errors of the client routes, and the request id for a report', async () => {
    const { license, client } = await newShop();
    const answers: Answer<unknown>[] = [
      await client.activate(license.key, 'fingerprint-1'),
      await client.validate(license.key, 'fingerprint-1'),
      await client.deactivate(license.key, 'fingerprint-1'),
      await client.activate('unknown', 'fingerprint-1'),
      await client.activate(license.key, 'short'),
      await send('/v1/products/1/validate'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 422, 401]);
    for (const { headers } of answers) {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-expose-headers']).toMatch(/X-Request-Id/);
      expect(headers['access-control-expose-headers']).toMatch(/X-Svc-Error-Code/);
      // Without this header, a page can't wait as long as the service asks.
      expect(headers['access-control-expose-headers']).toMatch(/Retry-After/);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  test('no page of another origin can use an admin route', async () => {
    for (const { path } of otherRoutes.filter(({ path }) => path.startsWith('/v1'))) {
      const { status, headers } = await preflight(path.replace(/\{\w+\}/g, '1'));
      expect(status).toBe(404);
      expect(headers['access-control-allow-methods']).toBeUndefined();
      expect(headers['access-control-allow-headers']).toBeUndefined();
    }
    const { id } = await newProduct();
    for (const path of ['/v1/products', `/v1/products/${id}`, '/v1/products/0', `/v1/products/${id}/licenses?limit=x`]) {
      expect((await get(path, { Origin: 'https://app.example' })).headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

test('no proxy or browser caches a response under /v1, and every response can be found in the logs', async () => {
  const { product } = await newShop();
  const ids = new Set<unknown>();
  for (const path of ['/v1/products', `/v1/products/${product.id}`, `/v1/products/${product.id}/license-types`, '/v1/products/0']) {
    const { headers } = await get(path);
    expect(headers['cache-control']).toBe('no-store');
    ids.add(headers['x-request-id']);
  }
  expect(ids.size).toBe(4);
  expect(ids).not.toContain(undefined);
});

test('public responses are cached for five minutes, readable by any origin, and not sent again while unchanged; their errors are not cached', async () => {
  const { product } = await newShop();
  for (const path of ['/openapi.json', `/v1/products/${product.id}/jwks.json`]) {
    const { status, headers } = await get(path);
    expect([path, status, headers['cache-control'], headers['access-control-allow-origin']]).toEqual([
      path,
      200,
      'public, max-age=300',
      '*',
    ]);
    for (const tag of [headers['etag'] ?? '', `W/${headers['etag']}`, `"other", ${headers['etag']}`, '*']) {
      const again = await get(path, { 'If-None-Match': tag });
      expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', headers['etag']]);
    }
    expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200);
  }
  expect((await get('/v1/products/0/jwks.json')).headers['cache-control']).toBe('no-store');
});
