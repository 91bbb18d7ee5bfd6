import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { Agent, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { createApi } from '../../../infra/local/api';
import * as server from '../../../infra/local/server';
import { Bucket } from '../../../infra/local/throttles';
import { endpoints } from '../../../lambdas/contract';
import { throttleOf } from '../../../lambdas/contract/endpoint';
import type { App } from '../../../lambdas/runtime/app';
import { rawExchange, until } from './support';

/** Tests the HTTP server of the local run with a handler that responds with its event, or that waits. */

const reported: unknown[] = [];
let release: (() => void)[] = [];
const echo = (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const result = { statusCode: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(event) };
  if (event.resource === '/v1/products/{id}/webhook') return new Promise((resolve) => release.push(() => resolve(result)));
  if (event.resource === '/v1/tokens/current') return Promise.reject(new Error('a defect'));
  return Promise.resolve(result);
};
const start = (more: Partial<server.ServerOptions> = {}, throttle = false): Promise<server.RunningServer> =>
  server.start({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: ['api.example.com'],
    routeOf: (_method, path) => (path === '/_local' ? (_request, response) => void response.end('local') : undefined),
    api: createApi({ app: {} as App, throttle, run: (_row, event) => echo(event) }),
    report: (error) => reported.push(error),
    ...more,
  });

let running: server.RunningServer;
beforeAll(async () => {
  running = await start();
});
afterAll(() => running.stop(100));
beforeEach(() => {
  reported.splice(0);
  release = [];
});

const call = async (path: string, init?: RequestInit) => {
  const response = await fetch(running.baseUrl + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const event = async (path: string, init?: RequestInit): Promise<APIGatewayProxyEvent> =>
  JSON.parse((await call(path, init)).text) as APIGatewayProxyEvent;
const bodyOf = (exchanged: string): APIGatewayProxyEvent =>
  JSON.parse(Buffer.from(exchanged.slice(exchanged.indexOf('\r\n\r\n')), 'latin1').toString()) as APIGatewayProxyEvent;

describe('the events that handlers receive', () => {
  test('an event has the fields of API Gateway that handlers use', async () => {
    const text = await rawExchange(
      running.baseUrl,
      'GET /v1/licenses/a%20b?x=1&y=%C3%A4+z&x=2&empty= HTTP/1.1\r\nHost: api.example.com:99\r\nX-Custom: one\r\nx-custom: two\r\nConnection: close\r\n\r\n',
    );
    const { headers, requestContext, ...rest } = bodyOf(text);
    expect(rest).toEqual({
      resource: '/v1/licenses/{id}',
      path: '/v1/licenses/a%20b',
      httpMethod: 'GET',
      queryStringParameters: { x: '2', y: 'ä z', empty: '' },
      multiValueQueryStringParameters: { x: ['1', '2'], y: ['ä z'], empty: [''] },
      pathParameters: { id: 'a b' },
      stageVariables: null,
      body: null,
      isBase64Encoded: false,
    });
    // As on AWS, the last value of a repeated header counts.
    expect(headers).toMatchObject({ host: 'api.example.com:99', 'x-custom': 'two' });
    expect(requestContext).toMatchObject({ path: '/v1/licenses/a%20b', identity: { sourceIp: '127.0.0.1' } });
    expect(text).toMatch(new RegExp(`^X-Request-Id: ${requestContext.requestId}\r$`, 'm'));
  });

  test.each([
    ['/v1/licenses/__proto__', '/v1/licenses/{id}', { id: '__proto__' }],
    ['/v1/licenses/a%2Fb', '/v1/licenses/{id}', { id: 'a/b' }],
    ['/v1/licenses/%zz', '/v1/licenses/{id}', { id: '%zz' }],
    ['/v1/products/', '/v1/products', null],
    ['/%76%31/products', '/v1/products', null],
  ])('a request to %s matches the route %s', async (path, resource, pathParameters) =>
    expect(await event(path)).toMatchObject({ resource, path, pathParameters }),
  );

  test('unusual queries and bodies arrive unchanged', async () => {
    expect((await event('/v1/products?%zz=%&__proto__=1&a&=b&&')).multiValueQueryStringParameters).toMatchObject({
      '%zz': ['%'],
      a: [''],
      '': ['b'],
    });
    expect(await event('/v1/products', { method: 'POST', body: 'grüße' })).toMatchObject({ body: 'grüße', isBase64Encoded: false });
  });
});

test.each([
  ['GET', '/nowhere'],
  ['PUT', '/v1/products'],
  ['OPTIONS', '/v1/products'],
  ['GET', '//v1/products'],
  ['GET', '/v1/products//'],
])('%s %s gets the response "not found"', async (method, path) => {
  const { status, headers, text } = await call(path, { method });
  expect([status, text, headers.get('x-svc-error-code')]).toEqual([404, '{"detail":"Not found"}', 'not_found']);
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('a browser may send the requests of apps: preflight requests get a response without a handler', async () => {
  const { status, headers, text } = await call('/v1/products/1/activate', { method: 'OPTIONS' });
  expect([status, text, headers.get('access-control-allow-methods')]).toEqual([204, '', 'POST']);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-allow-headers')).toMatch(/X-API-Key/i);
});

test('an error of the local run itself affects only one request, and is reported', async () => {
  const { status, headers } = await call('/v1/tokens/current');
  expect([status, headers.get('x-svc-error-code')]).toEqual([502, 'internal']);
  expect(reported).toEqual([new Error('a defect')]);
  expect((await call('/_local')).text).toBe('local');
});

test('the limits of a deployment apply to each route', async () => {
  const limited = await start({}, true);
  const [slowest] = [...endpoints].sort((a, b) => throttleOf(a).rate - throttleOf(b).rate);
  const { method, path } = slowest!;
  const status = async (): Promise<number> => (await fetch(limited.baseUrl + path.replace(/\{\w+\}/g, 'x'), { method })).status;
  const statuses = await Promise.all(Array.from({ length: 3 * throttleOf(slowest!).burst }, status));
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect((await fetch(`${limited.baseUrl}/v1/products`)).status).toBe(200);
  await limited.stop(100);
});

test('a limit allows its burst at once, and its rate afterwards', () => {
  let now = 0;
  const bucket = new Bucket({ rate: 10, burst: 3 }, () => now);
  const taken = (count: number): number => Array.from({ length: count }, () => bucket.take()).filter(Boolean).length;
  expect(taken(5)).toBe(3);
  now += 250;
  expect(taken(5)).toBe(2);
  now += 10_000;
  expect(taken(5)).toBe(3);
});

test.each([
  ['api.example.com', 200],
  ['localhost:1', 200],
  ['box', 200],
  ['127.0.0.1', 200],
  ['[::1]:80', 200],
  ['attacker.example', 421],
])('a request for the host %s gets %i, so a web page cannot reach the service through its own name', async (host, status) =>
  expect(await rawExchange(running.baseUrl, `GET /v1/products HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
    new RegExp(`^HTTP/1.1 ${status} `),
  ),
);

describe('requests that a client should not send', () => {
  const limit = 10 * 1024 * 1024;
  const head = 'Host: x\r\nConnection: close\r\n';

  test.each<[string, string, number]>([
    ['bytes that are not HTTP', '\x00\x01\x02\x03\r\n\r\n', 400],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['no Host header', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Host headers', `GET / HTTP/1.1\r\n${head}Host: y\r\n\r\n`, 400],
    ['an unknown HTTP version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    ['an unknown method', `BREW /v1/products HTTP/1.1\r\n${head}\r\n`, 400],
    ['a header without a colon', `GET / HTTP/1.1\r\n${head}nonsense\r\n\r\n`, 400],
    ['a header name with a space', `GET / HTTP/1.1\r\n${head}X Y: z\r\n\r\n`, 400],
    ['a NUL in a header', `GET / HTTP/1.1\r\n${head}X: a\x00b\r\n\r\n`, 400],
    ['two Content-Length headers', `POST /v1/products HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
    [
      'a Content-Length and chunks',
      `POST /v1/products HTTP/1.1\r\n${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['a negative Content-Length', `POST /v1/products HTTP/1.1\r\n${head}Content-Length: -1\r\n\r\n`, 400],
    ['broken chunks', `POST /v1/products HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc`, 400],
    ['large headers', `GET / HTTP/1.1\r\n${head}X: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
    ['a long path', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\n${head}\r\n`, 431],
    ['an unknown expectation', `POST /v1/products HTTP/1.1\r\n${head}Expect: miracles\r\nContent-Length: 0\r\n\r\n`, 417],
    ['TRACE', `TRACE / HTTP/1.1\r\n${head}\r\n`, 404],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 404],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${head}\r\n`, 404],
    ['dot segments in its path', `GET /nowhere/../v1/products HTTP/1.1\r\n${head}\r\n`, 404],
    ['an absolute address that has no route', `GET http://other.example/nowhere HTTP/1.1\r\n${head}\r\n`, 404],
    [
      'a body declared too large, with 100-continue',
      `POST /v1/products HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: ${limit + 1}\r\n\r\n`,
      422,
    ],
  ])('a request with %s gets an error in the format of the API, and the connection does not hang', async (_name, bytes, status) => {
    const text = await rawExchange(running.baseUrl, Buffer.from(bytes, 'latin1'));
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/im);
    expect(text).toMatch(/^X-Svc-Error-Code: /im);
    expect(text).toMatch(/\r\n\r\n\{"detail":"[^"]+"\}$/);
  });

  test('a response to HEAD has headers only', async () => {
    const text = await rawExchange(running.baseUrl, `HEAD /nowhere HTTP/1.1\r\n${head}\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 404 /);
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });

  test('a body of 1 MB reaches the handler, and for a body that is too large the client receives an error', async () => {
    const post = (size: number, headers: Record<string, string> = {}) =>
      new Promise<readonly [number | undefined, string]>((resolve, reject) => {
        const sent = request(`${running.baseUrl}/v1/products`, { method: 'POST', headers, agent: new Agent() }, (response) => {
          void readText(response).then((body) => resolve([response.statusCode, body]), reject);
        });
        sent.once('error', reject);
        sent.end(Buffer.alloc(size, 'x'));
      });
    const tooLarge = [422, '{"detail":"body is too large"}'];
    expect((await post(1024 * 1024))[0]).toBe(200);
    // API Gateway accepts this body, but a function accepts only 6 MB.
    expect(await post(limit)).toEqual(tooLarge);
    expect(await post(limit + 1)).toEqual(tooLarge);
    expect(await post(3 * limit, { 'Transfer-Encoding': 'chunked' })).toEqual(tooLarge);
  });

  test('pipelined requests get their responses in order, followed by an error for invalid bytes', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const exchanged = rawExchange(
      running.baseUrl,
      `${get('/v1/products/1/webhook')}${get('/v1/products')}${get('/nowhere')}\x00garbage\r\n\r\n`,
    );
    await until(() => release.length === 1);
    release.forEach((end) => end());
    expect((await exchanged).match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 400']);
  });

  test('a client that disconnects in the middle of a request does not affect other clients', async () => {
    const { hostname, port } = new URL(running.baseUrl);
    for (const bytes of [
      'POST /v1/products HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc',
      'GET /v1/products/1/webhook HTTP/1.1\r\nHost: x\r\n\r\n',
      ...Array.from({ length: 20 }, () => 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n'),
    ]) {
      await new Promise<void>((resolve) => {
        const sent = request({ hostname, port, createConnection: undefined });
        sent.once('error', () => resolve());
        sent.once('socket', (socket) => socket.once('connect', () => (socket.write(bytes), socket.resetAndDestroy())));
      });
    }
    expect((await call('/v1/products')).status).toBe(200);
  });
});

test('a port in use is reported with a short error message', async () => {
  const { port } = new URL(running.baseUrl);
  await expect(start({ port: Number(port) })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use: stop the program that listens there, or set PORT to another port.`,
  );
});

test('stop waits for requests in progress, but not for idle keep-alive connections', async () => {
  const stopping = await start();
  const agent = new Agent({ keepAlive: true });
  const get = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(stopping.baseUrl + path, { agent }, (response) => response.resume().once('end', () => resolve(response.statusCode)))
        .once('error', reject)
        .end();
    });
  await get('/nowhere');
  const late = get('/v1/products/1/webhook');
  await until(() => release.length === 1);
  const stopped = stopping.stop(20_000);
  release.forEach((end) => end());
  expect(await late).toBe(200);
  await stopped;
  await expect(fetch(stopping.baseUrl)).rejects.toThrow();
  agent.destroy();
});
