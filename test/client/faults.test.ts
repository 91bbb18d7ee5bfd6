import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { memoryStorage, type Fault, type Fetch, type LicenseClientOptions } from '../../client/src';
import { baseUrl as realUrl, newShop, serviceNow } from '../support/http';
import { serveInProcess } from '../support/in-process';
import { until } from '../support/until';
import { installApp, itemName, noNetwork, type Device } from './support';

/** Tests the client with real connections: the service can't be reached, or another server responds instead of the service. */

serveInProcess();

const DAY = 86_400_000;
let shop: Awaited<ReturnType<typeof newShop>>;
let fingerprint: string;
let cached: string;
beforeAll(async () => {
  shop = await newShop();
  const device = installApp(shop.product);
  expect(await device.client.activate(shop.license.key)).toMatchObject({ status: 'licensed' });
  await device.client.idle();
  fingerprint = device.fingerprint;
  cached = String(await device.storage.getItem(cacheName()));
});
const cacheName = (): string => itemName(shop.product.id);

/** Starts the app on an activated device, with the cache that the activation wrote. */
function start(options: Partial<LicenseClientOptions> = {}): Device {
  const storage = memoryStorage();
  void storage.setItem(cacheName(), cached);
  return installApp(shop.product, { storage, fingerprint, ...options });
}
/** Starts the same app eight days later, so that a check must send a request. */
const startLate = (options: Partial<LicenseClientOptions> = {}): Device => start({ now: () => serviceNow() + 8 * DAY, ...options });

/** Runs a task against a temporary server with the given responses. */
async function against<Result>(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  task: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await task(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (_request: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
const html =
  (status: number) =>
  (_request: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, { 'Content-Type': 'text/html' }).end('<html><body>Welcome to the airport</body></html>');

const faults: readonly [string, Fault['kind'], (request: IncomingMessage, response: ServerResponse) => void][] = [
  ['hangs', 'timeout', () => undefined],
  [
    'sends headers and hangs',
    'timeout',
    (_request, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).write('{'),
  ],
  ['closes the connection', 'unreachable', (request) => void request.socket.destroy()],
  ['does not send HTTP', 'unreachable', (request) => void request.socket.end('hello\r\n\r\n')],
  [
    'closes the connection in the middle of its response',
    'unreachable',
    (_request, response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('{"valid": true', () => response.socket?.destroy());
    },
  ],
  ['sends half of a JSON response', 'malformed', (_request, response) => void response.end('{"valid": true, "status": "act')],
  ['sends HTML', 'malformed', html(200)],
  ['sends HTML with status 404', 'malformed', html(404)],
  ['sends HTML with status 401', 'malformed', html(401)],
  ['sends an empty response', 'malformed', (_request, response) => void response.end()],
  ['sends unknown JSON', 'malformed', json(200, { hello: 'world' })],
  ['sends a list', 'malformed', json(200, [])],
  ['sends null', 'malformed', json(200, null)],
  ['sends an unknown license status', 'malformed', json(200, { valid: false, status: 'Not today' })],
  ['sends a valid license without a token', 'malformed', json(200, { valid: true, status: 'active' })],
  ['sends the status 500', 'busy', json(500, { detail: 'Internal error' }, { 'X-Svc-Error-Code': 'internal' })],
  ['sends HTML with status 500', 'busy', html(500)],
  ['sends the status 503', 'busy', json(503, { detail: 'busy' })],
  ['throttles the request', 'busy', json(429, { detail: 'Too many requests' }, { 'X-Svc-Error-Code': 'rate_limited' })],
  ['does not have the route', 'rejected', json(404, { detail: 'Not found' }, { 'X-Svc-Error-Code': 'not_found' })],
  ['redirects', 'unreachable', (_request, response) => void response.writeHead(302, { Location: 'https://example.com/' }).end()],
  ['sends an invalid token', 'untrusted', json(200, { valid: true, status: 'active', license: { key: 'x' }, offline_token: 'x.y.z' })],
];

describe('a faulty service', () => {
  test.each(faults)(
    'a service that %s causes a fault of the kind %s: no exception, no refusal, and the stored license remains',
    async (_what, kind, answer) => {
      await against(answer, async (baseUrl) => {
        const { client, restart, warnings } = startLate({ baseUrl, timeoutMs: 250 });
        const fault = { kind, message: expect.stringMatching(/./) as string };
        expect(await client.check()).toEqual({ status: 'offline_without_token', reason: 'expired', fault });
        expect(await client.deactivate()).toEqual({
          status: 'failed',
          fault: expect.objectContaining({ kind: expect.any(String) as string }) as Fault,
        });
        // When the service is available again, the app is licensed again.
        expect(await restart({ baseUrl: realUrl(), now: serviceNow, timeoutMs: 20_000 }).client.check()).toMatchObject({
          status: 'licensed',
          source: 'network',
        });
        expect(warnings).toEqual([]);
      });
    },
  );

  test.each([
    ['fails', 2, json(500, {})],
    ['throttles the request', 2, json(429, {}, { 'X-Svc-Error-Code': 'rate_limited' })],
    ['closes the connection', 2, (request: IncomingMessage) => void request.socket.destroy()],
    ['is hidden by a captive portal', 2, html(200)],
    ['refuses the request', 1, json(422, { detail: 'no' }, { 'X-Svc-Error-Code': 'invalid_request' })],
  ])('a service that %s gets %d requests for one check', async (_what, times, answer) => {
    await against(answer, async (baseUrl) => {
      const { client, requests } = startLate({ baseUrl });
      await client.check();
      expect(requests).toHaveLength(times);
    });
  });

  test("a service that can't be reached causes a fault of the kind unreachable", async () => {
    const closed = await against(json(200, {}), (baseUrl) => Promise.resolve(baseUrl));
    const { client } = startLate({ baseUrl: closed });
    expect(await client.check()).toMatchObject({
      status: 'offline_without_token',
      fault: { kind: 'unreachable', message: expect.stringContaining('ECONNREFUSED') as string },
    });
  });

  test("requests name the client's version, so that the operator finds apps with an old one in the logs", async () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '../../client/package.json'), 'utf8')) as { version: string };
    let agent: string | undefined;
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      agent = request.headers['user-agent'];
      json(503, {})(request, response);
    };
    await against(answer, (baseUrl) => startLate({ baseUrl }).client.check());
    expect(agent).toBe(`license-key-client-typescript/${version}`);
  });

  test('if the service refuses the API key, the fault says so and the app stays licensed', async () => {
    const { client } = start({ apiKey: 'wrong' });
    expect(await client.validate()).toMatchObject({
      status: 'licensed',
      source: 'cache',
      fault: { kind: 'rejected', message: expect.stringContaining('401 unauthorized') as string },
    });
  });
});

describe('a fault contains neither a license key nor a credential', () => {
  test.each(faults)('a service that %s', async (_what, _kind, answer) => {
    const { key } = shop.license;
    const state = await against(answer, (baseUrl) => startLate({ baseUrl, timeoutMs: 100 }).client.check());
    const text = JSON.stringify(state);
    for (const secret of [key, shop.product.api_key, fingerprint]) expect(text).not.toContain(secret);
  });
});

test.each([200, 503])(
  'a response with status %d that does not end is canceled, because Node may have forgotten the signal, and the process could not end',
  async (status) => {
    const canceled: string[] = [];
    const endless: Fetch = (url) => {
      const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')), cancel: () => void canceled.push(url) });
      return Promise.resolve({ status, headers: new Headers(), body, text: () => new Promise<never>(() => undefined) });
    };
    expect(await start({ fetch: endless, timeoutMs: 50 }).client.validate()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect(canceled).toHaveLength(2);
  },
);

test('a single network error has no effect, because the request is repeated', async () => {
  for (const operation of ['activate', 'validate', 'deactivate'] as const) {
    let failures = 0;
    const once: Fetch = (url, init) => (failures++ === 0 ? noNetwork(url, init) : fetch(url, init));
    const device = operation === 'activate' ? installApp(shop.product, { fetch: once }) : installApp(shop.product);
    if (operation !== 'activate') await device.client.activate(shop.license.key);
    const { client } = device.restart({ fetch: once });
    const result = operation === 'activate' ? await client.activate(shop.license.key) : await client[operation]();
    expect([operation, result]).toEqual([
      operation,
      expect.objectContaining({ status: operation === 'deactivate' ? 'deactivated' : 'licensed' }),
    ]);
    expect(failures).toBe(2);
  }
});

test('the client waits before its second attempt', async () => {
  const times: number[] = [];
  const { client } = start({
    retryDelayMs: 60,
    fetch: (url, init) => {
      times.push(performance.now());
      return noNetwork(url, init);
    },
  });
  await client.validate();
  // A timer may fire a millisecond early.
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(59);
});

describe('simultaneous calls of the client', () => {
  test('simultaneous validations share one request', async () => {
    const { client, requests } = start();
    const states = await Promise.all([client.validate(), client.validate(), client.validate()]);
    expect(new Set(states).size).toBe(1);
    expect(requests).toEqual(['validate']);

    const late = startLate();
    await Promise.all([late.client.check(), late.client.check(), late.client.validate(), late.client.check()]);
    expect(late.requests).toEqual(['validate']);
  });

  test('an activation is not overwritten by the response to an earlier validation', async () => {
    const device = installApp(shop.product);
    await device.client.activate(shop.license.key);
    await device.client.idle();
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { client } = device.restart({
      fetch: async (url, init) => {
        // The response says that the license is revoked, but arrives only after the new activation.
        if (!url.includes('/validate')) return fetch(url, init);
        await held;
        return { status: 200, headers: new Headers(), text: () => Promise.resolve('{"valid": false, "status": "revoked"}') };
      },
    });
    const validation = client.validate();
    expect(await client.activate(shop.license.key)).toMatchObject({ status: 'licensed', source: 'network' });
    release?.();
    expect(await validation).toMatchObject({ status: 'licensed', source: 'cache' });
    expect(client.state).toMatchObject({ status: 'licensed' });
  });
});

describe('closing the client', () => {
  test('close() ends a request in progress at once', async () => {
    await against(
      () => undefined,
      async (baseUrl) => {
        const { client, requests } = startLate({ baseUrl, timeoutMs: 60_000 });
        const check = client.check();
        await until('the request is sent', () => requests.length === 1);
        await client.close();
        expect(await check).toMatchObject({ status: 'offline_without_token', fault: { kind: 'closed' } });
      },
    );
  });

  test('close() does not wait while another process takes a seat or sends amounts', async () => {
    const { client } = start({
      offline: 'queue',
      timeoutMs: 60_000,
      storage: { ...memoryStorage(), lock: (name, task) => (/\.(seat|sending)$/.test(name) ? new Promise(() => undefined) : task()) },
    });
    const activation = client.activate(shop.license.key);
    await client.check();
    await client.close();
    expect(await activation).toMatchObject({ fault: { kind: 'closed' } });
  });

  test('after close() the cached license is usable, and the client sends no more requests', async () => {
    const { client, requests, states } = start();
    await client.close();
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect(await client.validate()).toMatchObject({ status: 'licensed', source: 'cache', fault: { kind: 'closed' } });
    expect([requests, states]).toEqual([[], []]);
  });
});

describe('a fetch function of the app that misbehaves', () => {
  test.each<[string, Fetch]>([
    [
      'throws an exception',
      () => {
        throw new Error('not today');
      },
    ],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- simulates a faulty fetch function
    ['rejects with undefined', () => Promise.reject(undefined)],
    ['never returns and ignores the abort signal', () => new Promise(() => undefined)],
    ['returns undefined', () => Promise.resolve(undefined as never)],
  ])('a fetch function that %s causes a fault and no exception', async (_what, fetch) => {
    const { client } = startLate({ fetch, timeoutMs: 50 });
    expect(await client.check()).toMatchObject({
      status: 'offline_without_token',
      fault: { kind: expect.stringMatching(/unreachable|timeout/) as string },
    });
  });
});

describe('listeners for the state', () => {
  test('a listener is called only when the state changes, and never after it has unsubscribed', async () => {
    const { client, states } = start();
    const first = await client.check();
    await client.check();
    expect(states).toEqual([first]);
    expect(client.state).toBe(states[0]);
    const seen: unknown[] = [];
    const leave = client.subscribe((state) => seen.push(state));
    leave();
    expect(await client.validate()).toMatchObject({ source: 'network' });
    expect([states.length, seen]).toEqual([2, []]);
  });

  test('an error in one listener affects neither the app nor the other listeners', async () => {
    const { client, states, warnings } = start();
    client.subscribe(() => {
      throw new Error('a bug of the app');
    });
    const seen: unknown[] = [];
    client.subscribe((state) => seen.push(state));
    expect(await client.check()).toMatchObject({ status: 'licensed' });
    expect([states.length, seen.length, warnings]).toEqual([1, 1, ['A listener failed: Error: a bug of the app']]);
  });
});
