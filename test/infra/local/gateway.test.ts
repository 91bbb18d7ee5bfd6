import type { APIGatewayProxyEvent } from 'aws-lambda';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import * as gateway from '../../../infra/local/gateway';
import type { Functions } from '../../../infra/local/lambda';
import { functionResource, invocationUri, rawExchange, restApi, startFunctions, templateOf, until, type Resources } from './support';

const method = (id: string, more: object = {}) => ({
  'x-amazon-apigateway-integration': { type: 'aws_proxy', uri: invocationUri(id), ...more },
});
const gatewayResponse = (detail: string, more: object = {}) => ({
  responseParameters: {
    'gatewayresponse.header.X-Request-Id': 'context.requestId',
    'gatewayresponse.header.X-Svc-Error-Code': `'${detail}'`,
    'gatewayresponse.header.X-Unknown': 'context.nobody.knows',
  },
  responseTemplates: { 'application/json': `{"detail":"${detail}"}` },
  ...more,
});

/** A function that responds with its event, or with the response that the request's body describes. */
const echo = `exports.handler = async (event) => {
  const { answer, raw } = event.body && !event.isBase64Encoded && event.body.startsWith('{') ? JSON.parse(event.body) : {};
  return raw !== undefined ? raw : answer ?? { statusCode: 200, headers: { 'X-Request-Id': event.requestContext.requestId }, body: JSON.stringify(event) };
};`;

const paths = {
  '/': { get: method('Echo') },
  '/things': {
    get: method('Echo'),
    post: method('Echo'),
    options: {
      'x-amazon-apigateway-integration': {
        type: 'mock',
        responses: {
          default: {
            statusCode: '204',
            responseParameters: {
              'method.response.header.Access-Control-Allow-Origin': "'*'",
              'method.response.header.X-Trace': 'context.requestId',
            },
          },
        },
      },
    },
  },
  '/things/{id}': { get: method('Echo'), patch: method('Echo'), delete: method('Echo') },
  '/things/{id}/{part}': { get: method('Echo'), delete: method('Echo') },
  '/things/special/part': { get: method('Echo') },
  '/broken': { get: method('Failing') },
  '/slow': { get: method('Hanging', { timeoutInMillis: 100 }) },
};
const responses = {
  DEFAULT_4XX: gatewayResponse('refused'),
  DEFAULT_5XX: gatewayResponse('broken'),
  MISSING_AUTHENTICATION_TOKEN: gatewayResponse('not_found', { statusCode: 404 }),
  INTEGRATION_TIMEOUT: gatewayResponse('late', {
    responseTemplates: { 'application/json': '{"detail":$context.error.messageString,"id":"$context.requestId"}' },
  }),
};
const api: Resources = {
  Echo: functionResource(echo),
  Failing: functionResource(`exports.handler = async () => { throw new Error('secret reason'); };`),
  Hanging: functionResource('exports.handler = () => new Promise(() => {});'),
  Api: restApi(paths, {
    'x-amazon-apigateway-gateway-responses': responses,
    'x-amazon-apigateway-binary-media-types': ['image/*', 'application/octet-stream'],
  }),
  Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'try' } },
};

let functions: Functions;
let running: gateway.Gateway;
beforeAll(async () => {
  const template = templateOf(api);
  functions = startFunctions(template);
  running = await gateway.start(template, {
    functions,
    host: '127.0.0.1',
    allowedHosts: ['api.example.com', 'other.example'],
    port: 0,
    routes: ({ url }) => {
      if (url === '/_local') return (_request, response) => void response.end('local');
      return url === '/_defect' ? () => Promise.reject(new Error('a defect')) : undefined;
    },
  });
});
afterAll(async () => {
  await running.stop(100);
  await functions.stop(0);
});

const call = async (path: string, init?: RequestInit) => {
  const response = await fetch(running.baseUrl + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const event = async (path: string, init?: RequestInit): Promise<APIGatewayProxyEvent> =>
  JSON.parse((await call(path, init)).text) as APIGatewayProxyEvent;
const answering = (answer: unknown) => call('/things', { method: 'POST', body: JSON.stringify({ answer }) });

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

describe('the events that functions receive', () => {
  test("the event has the format of API Gateway's REST API", async () => {
    const text = await rawExchange(
      running.baseUrl,
      'GET /things/a%20b?x=1&y=%C3%A4+z&x=2&empty= HTTP/1.1\r\nHost: api.example.com:99\r\nX-Custom: one\r\nUser-Agent: me\r\nx-custom: two\r\nConnection: close\r\n\r\n',
    );
    const { headers, multiValueHeaders, requestContext, ...rest } = JSON.parse(
      Buffer.from(text.slice(text.indexOf('\r\n\r\n')), 'latin1').toString(),
    ) as APIGatewayProxyEvent;
    expect(rest).toEqual({
      resource: '/things/{id}',
      path: '/things/a%20b',
      httpMethod: 'GET',
      queryStringParameters: { x: '2', y: 'ä z', empty: '' },
      multiValueQueryStringParameters: { x: ['1', '2'], y: ['ä z'], empty: [''] },
      pathParameters: { id: 'a b' },
      stageVariables: null,
      body: null,
      isBase64Encoded: false,
    });
    expect(headers).toMatchObject({
      Host: 'api.example.com:99',
      'X-Custom': 'two',
      'User-Agent': 'me',
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-For': '127.0.0.1',
    });
    expect(headers).not.toHaveProperty('x-custom');
    expect(multiValueHeaders).toMatchObject({ Host: ['api.example.com:99'], 'X-Custom': ['one', 'two'] });
    expect(requestContext).toEqual({
      accountId: '000000000000',
      apiId: expect.stringMatching(/^[0-9a-z]{10}$/),
      authorizer: null,
      domainName: 'api.example.com:99',
      domainPrefix: 'api',
      extendedRequestId: uuid,
      httpMethod: 'GET',
      identity: expect.objectContaining({ sourceIp: '127.0.0.1', userAgent: 'me', user: null }),
      path: '/things/a%20b',
      protocol: 'HTTP/1.1',
      requestId: uuid,
      requestTime: expect.stringMatching(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} \+0000$/),
      requestTimeEpoch: expect.any(Number),
      resourceId: expect.stringMatching(/^[0-9a-z]{6}$/),
      resourcePath: '/things/{id}',
      stage: 'try',
    });
    expect(text).toMatch(new RegExp(`^X-Request-Id: ${requestContext.requestId}\r$`, 'm'));
  });

  test('missing values are null, a text body is unchanged, and the bytes of a binary body are base64', async () => {
    expect(await event('/')).toMatchObject({
      resource: '/',
      path: '/',
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      body: null,
    });
    expect(await event('/things', { method: 'POST', body: 'grüße' })).toMatchObject({ body: 'grüße', isBase64Encoded: false });
    const bytes = Buffer.from([0, 255, 254]);
    expect(await event('/things', { method: 'POST', body: bytes, headers: { 'content-type': 'image/PNG; x=y' } })).toMatchObject({
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    });
  });

  test.each([
    ['/things/special', '/things/{id}', { id: 'special' }],
    ['/things/special/part', '/things/special/part', null],
    ['/things/special/other', '/things/{id}/{part}', { id: 'special', part: 'other' }],
    ['/things/a%2Fb', '/things/{id}', { id: 'a/b' }],
    ['/things/%zz', '/things/{id}', { id: '%zz' }],
    ['/things/__proto__', '/things/{id}', { id: '__proto__' }],
    ['/things/', '/things', null],
    ['/%74hings', '/things', null],
  ])('a request to %s matches the route %s', async (path, resourcePath, pathParameters) => {
    expect(await event(path)).toMatchObject({ resource: resourcePath, path, pathParameters });
  });

  test('each method of a path has its own route, with or without a body', async () => {
    expect(await event('/things/7', { method: 'PATCH', body: '["a"]', headers: { 'content-type': 'application/json' } })).toMatchObject({
      httpMethod: 'PATCH',
      pathParameters: { id: '7' },
      body: '["a"]',
    });
    expect(await event('/things/7', { method: 'DELETE' })).toMatchObject({ httpMethod: 'DELETE', resource: '/things/{id}', body: null });
    expect(await event('/things/7', { method: 'DELETE', body: 'more' })).toMatchObject({ body: 'more' });
    for (const [verb, path] of [
      ['PUT', '/things/7'],
      ['DELETE', '/things'],
      ['PATCH', '/things/7/x'],
      ['OPTIONS', '/things/7'],
    ] as const) {
      expect([verb, (await call(path, { method: verb })).status]).toEqual([verb, 404]);
    }
  });

  test('a path parameter may contain any characters and is decoded once', async () => {
    for (const part of ['a/b', '100%', '%2F', 'a+b', 'ä?#&=', '..', '{part}', "!'()*~", 'f'.repeat(128)]) {
      const encoded = encodeURIComponent(part).replaceAll('.', '%2E');
      const text = await rawExchange(running.baseUrl, `DELETE /things/7/${encoded} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      const { path, pathParameters } = JSON.parse(
        Buffer.from(text.slice(text.indexOf('\r\n\r\n')), 'latin1').toString(),
      ) as APIGatewayProxyEvent;
      expect([path, pathParameters]).toEqual([`/things/7/${encoded}`, { id: '7', part }]);
    }
  });

  test('unusual queries never cause an error', async () => {
    expect((await event('/?%zz=%&__proto__=1&a&=b&&')).multiValueQueryStringParameters).toMatchObject({ '%zz': ['%'], a: [''], '': ['b'] });
  });
});

describe('the responses of functions', () => {
  test('a response can have a status, repeated headers, and bytes', async () => {
    const { status, headers, text } = await answering({
      statusCode: 201,
      headers: { 'X-One': 'a', 'Content-Type': 'text/plain', 'Content-Length': '999', Connection: 'upgrade' },
      multiValueHeaders: { 'x-one': ['b'], 'Set-Cookie': ['a=1', 'b=2'] },
      body: Buffer.from('bytes').toString('base64'),
      isBase64Encoded: true,
    });
    expect([status, text]).toEqual([201, 'bytes']);
    expect(headers.get('x-one')).toBe('a, b');
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(headers.get('content-type')).toBe('text/plain');
    expect(headers.get('content-length')).toBe('5');
  });

  test.each([
    ['text/csv; charset=utf-8', 'key,status\r\n"a ""b"" c",äctive\r\n'],
    ['application/x-ndjson', '{"id":1}\n{"id":2}\n'],
  ])('a body of the type %s keeps its type and all characters', async (type, body) => {
    const { status, headers, text } = await answering({ statusCode: 200, headers: { 'content-type': type }, body });
    expect([status, headers.get('content-type'), text]).toEqual([200, type, body]);
  });

  test('a response needs neither a body nor headers', async () => {
    const { status, headers, text } = await answering({ statusCode: '204' });
    expect([status, text]).toEqual([204, '']);
    expect(headers.get('x-request-id')).toEqual(uuid);
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['text', 'hello'],
    ['no status', { body: 'x' }],
    ['a status out of range', { statusCode: 99 }],
    ['a body that is not a text', { statusCode: 200, body: { a: 1 } }],
    ['a header value that HTTP does not allow', { statusCode: 200, headers: { 'X-Bad': 'a\r\nb' } }],
    ['a header name that HTTP does not allow', { statusCode: 200, headers: { 'X Bad': 'a' } }],
  ])('a function that returns %s causes the response 502', async (_name, raw) => {
    const { status, headers, text } = await call('/things', { method: 'POST', body: JSON.stringify({ raw }) });
    expect([status, text]).toEqual([502, '{"detail":"broken"}']);
    expect(headers.get('x-request-id')).toEqual(uuid);
  });

  test('the response does not reveal why a function failed', async () => {
    const { status, text } = await call('/broken');
    expect([status, text]).toEqual([502, '{"detail":"broken"}']);
  });

  test("a function that takes longer than the integration's timeout causes the response 504", async () => {
    const { status, headers, text } = await call('/slow');
    expect(status).toBe(504);
    expect(JSON.parse(text)).toEqual({ detail: 'Endpoint request timed out', id: headers.get('x-request-id') });
    expect(headers.get('x-svc-error-code')).toBe('late');
    expect(headers.has('x-unknown')).toBe(false);
  });
});

test('the gateway answers preflight requests without a function', async () => {
  const { status, headers, text } = await call('/things', { method: 'OPTIONS' });
  expect([status, text]).toEqual([204, '']);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('x-trace')).toBe(headers.get('x-request-id'));
});

test.each([
  ['GET', '/nowhere'],
  ['DELETE', '/things'],
  ['OPTIONS', '/things/1'],
  ['GET', '//things'],
  ['GET', '/things//'],
  ['GET', '/things/1/2/3'],
])('%s %s gets the response "not found"', async (verb, path) => {
  const { status, headers, text } = await call(path, { method: verb });
  expect([status, text]).toEqual([404, '{"detail":"not_found"}']);
  expect(headers.get('x-svc-error-code')).toBe('not_found');
  expect(headers.get('x-request-id')).toEqual(uuid);
});

test('routes of the local run take precedence over the API', async () => {
  const { text, headers } = await call('/_local');
  expect(text).toBe('local');
  expect(headers.get('x-request-id')).toEqual(uuid);
});

test('an error in a route of the local run affects only one request', async () => {
  const report = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  expect(await call('/_defect')).toMatchObject({ status: 502, text: '{"detail":"broken"}' });
  expect(report).toHaveBeenCalledWith(new Error('a defect'));
  report.mockRestore();
});

test("an API that defines no gateway responses sends AWS's default responses", async () => {
  const template = templateOf({ ...api, Api: restApi(paths) });
  const theirs = startFunctions(template);
  const plain = await gateway.start(template, { functions: theirs, host: '127.0.0.1', port: 0 });
  const response = await fetch(`${plain.baseUrl}/nowhere`);
  expect([response.status, await response.text()]).toEqual([403, '{"message":"Missing Authentication Token"}']);
  await plain.stop(100);
  await theirs.stop(0);
});

describe('requests that a client should not send', () => {
  const limit = 10 * 1024 * 1024;
  const expectRefusal = (text: string, status: number, detail: string) => {
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/im);
    expect(text).toMatch(/^X-Svc-Error-Code: /im);
    expect(text.endsWith(`\r\n\r\n{"detail":"${detail}"}`)).toBe(true);
  };
  const head = 'Host: x\r\nConnection: close\r\n';

  test.each<[string, string, number, string?]>([
    ['bytes that are not HTTP', '\x00\x01\x02\x03\r\n\r\n', 400],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['no Host header', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Host headers', `GET / HTTP/1.1\r\n${head}Host: y\r\n\r\n`, 400],
    ['an unknown HTTP version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    ['an unknown method', `BREW /things HTTP/1.1\r\n${head}\r\n`, 400],
    ['a header without a colon', `GET / HTTP/1.1\r\n${head}nonsense\r\n\r\n`, 400],
    ['a header name with a space', `GET / HTTP/1.1\r\n${head}X Y: z\r\n\r\n`, 400],
    ['a NUL in a header', `GET / HTTP/1.1\r\n${head}X: a\x00b\r\n\r\n`, 400],
    ['two Content-Length headers', `POST /things HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
    [
      'a Content-Length and chunks',
      `POST /things HTTP/1.1\r\n${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['a negative Content-Length', `POST /things HTTP/1.1\r\n${head}Content-Length: -1\r\n\r\n`, 400],
    ['broken chunks', `POST /things HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc`, 400],
    ['large headers', `GET / HTTP/1.1\r\n${head}X: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
    ['a long path', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\n${head}\r\n`, 431],
    ['an unknown expectation', `POST /things HTTP/1.1\r\n${head}Expect: miracles\r\nContent-Length: 0\r\n\r\n`, 417],
    ['TRACE', `TRACE / HTTP/1.1\r\n${head}\r\n`, 404, 'not_found'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 404, 'not_found'],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${head}\r\n`, 404, 'not_found'],
    ['dot segments in its path', `GET /nowhere/../things HTTP/1.1\r\n${head}\r\n`, 404, 'not_found'],
    ['an absolute address that has no route', `GET http://other.example/nowhere HTTP/1.1\r\n${head}\r\n`, 404, 'not_found'],
    [
      'a body declared too large, with 100-continue',
      `POST /things HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: ${limit + 1}\r\n\r\n`,
      413,
    ],
  ])(
    'a request with %s gets an error in the format of the API, and the connection does not hang',
    async (_name, bytes, status, detail = 'refused') => {
      expectRefusal(await rawExchange(running.baseUrl, Buffer.from(bytes, 'latin1')), status, detail);
    },
  );

  test.each<[string, string]>([
    ['an absolute address', `GET http://other.example/things?x=1 HTTP/1.1\r\n${head}\r\n`],
    [
      'an upgrade that the gateway does not support',
      'GET /things HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['HTTP/1.0 and no Host header', 'GET /things HTTP/1.0\r\n\r\n'],
    [
      'headers named like what every object has',
      `GET /things HTTP/1.1\r\n${head}__proto__: x\r\nconstructor: x\r\ntoString: x\r\nTOSTRING: y\r\n\r\n`,
    ],
    ['bytes beyond ASCII in a header', `GET /things HTTP/1.1\r\n${head}X-Odd: \xe4\xff\r\n\r\n`],
    ['100-continue', `POST /things HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 1\r\n\r\na`],
    ['a body with a GET', `GET /things HTTP/1.1\r\n${head}Content-Length: 3\r\n\r\nabc`],
  ])('a request with %s is served', async (_name, bytes) => {
    expect(await rawExchange(running.baseUrl, Buffer.from(bytes, 'latin1'))).toMatch(
      /^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 200 OK/,
    );
  });

  test('a client that closes its side of the connection after sending still gets its responses', async () => {
    const { hostname, port } = new URL(running.baseUrl);
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const text = await new Promise<string>((resolve, reject) => {
      let answer = '';
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      socket.end(get('/slow') + get('/things'));
      socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk));
      socket
        .once('close', () => resolve(answer))
        .once('end', () => socket.destroy())
        .once('error', reject);
    });
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 504', 'HTTP/1.1 200']);
  });

  test('a response to HEAD has headers only', async () => {
    const text = await rawExchange(running.baseUrl, `HEAD /nowhere HTTP/1.1\r\n${head}\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 404 /);
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });

  test('a body of 10 MB passes the gateway, and for a larger body the client receives an error', async () => {
    const post = (size: number, headers: Record<string, string> = {}) =>
      new Promise<{ status?: number; body: string }>((resolve, reject) => {
        const sent = request(`${running.baseUrl}/things`, { method: 'POST', headers, agent: new Agent() }, (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (text: string) => (body += text));
          response.once('end', () => resolve({ status: response.statusCode, body }));
        });
        sent.once('error', reject);
        sent.end(Buffer.alloc(size, 'x'));
      });
    // The gateway accepts this body, but a function accepts only 6 MB.
    expect((await post(limit)).status).toBe(413);
    expect(await post(limit + 1)).toEqual({ status: 413, body: '{"detail":"refused"}' });
    expect(await post(3 * limit, { 'Transfer-Encoding': 'chunked' })).toEqual({ status: 413, body: '{"detail":"refused"}' });
    expect((await post(1024 * 1024)).status).toBe(200);
  });

  test('pipelined requests get their responses in order, followed by an error for invalid bytes', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const text = await rawExchange(running.baseUrl, get('/slow') + get('/things/1') + get('/nowhere') + '\x00garbage\r\n\r\n');
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 504', 'HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 400']);
  });

  test('a client that disconnects in the middle of a request does not affect other clients', async () => {
    const { hostname, port } = new URL(running.baseUrl);
    for (const bytes of [
      'POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc',
      'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n',
      ...Array.from({ length: 20 }, () => 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n'),
    ]) {
      await new Promise<void>((resolve) => {
        const sent = request({ hostname, port, createConnection: undefined });
        sent.once('error', () => resolve());
        sent.once('socket', (socket) => socket.once('connect', () => (socket.write(bytes), socket.resetAndDestroy())));
      });
    }
    expect((await call('/things')).status).toBe(200);
  });

  test('the gateway serves 200 connections at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => event(`/things/${i}`)));
    expect(answers.map(({ pathParameters }) => pathParameters!['id'])).toEqual(answers.map((_, i) => String(i)));
  });
});

test('two different names for the same path parameter are refused, as on AWS', async () => {
  const template = templateOf({ ...api, Api: restApi({ ...paths, '/things/{other}/more': { get: method('Echo') } }) });
  const theirs = startFunctions(template);
  await expect(gateway.start(template, { functions: theirs, host: '127.0.0.1', port: 0 })).rejects.toThrow('{id} and {other}');
  await theirs.stop(0);
});

test('a port in use is reported with a short error message', async () => {
  const { port } = new URL(running.baseUrl);
  const template = templateOf(api);
  const theirs = startFunctions(template);
  await expect(gateway.start(template, { functions: theirs, host: '127.0.0.1', port: Number(port) })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use: stop the program that listens there, or set PORT to another port.`,
  );
  await theirs.stop(0);
});

test('stop waits for requests in progress, but not for idle keep-alive connections', async () => {
  const template = templateOf({
    ...api,
    Hanging: functionResource(`exports.handler = () => new Promise((go) => setTimeout(() => go({ statusCode: 200, body: 'late' }), 200));`),
    Api: restApi({ ...paths, '/slow': { get: method('Hanging') } }, { 'x-amazon-apigateway-gateway-responses': responses }),
  });
  const theirs = startFunctions(template);
  const server = await gateway.start(template, { functions: theirs, host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  const get = (path: string) =>
    new Promise<string>((resolve, reject) => {
      request(server.baseUrl + path, { agent }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.once('end', () => resolve(body));
      })
        .once('error', reject)
        .end();
    });
  await get('/nowhere');
  const late = get('/slow');
  await until(() => theirs.busy);
  const begun = performance.now();
  await server.stop(20_000);
  expect(await late).toBe('late');
  expect(performance.now() - begun).toBeLessThan(10_000);
  await expect(fetch(server.baseUrl)).rejects.toThrow();
  await theirs.stop(0);
  agent.destroy();
});
