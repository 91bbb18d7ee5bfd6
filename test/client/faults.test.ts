import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memoryStorage, type Fault, type Fetch, type LicenseClientOptions } from '../../client/src';
import { baseUrl as baseUrlOfStack, newShop } from '../support/http';
import { until } from '../support/until';
import { installApp, itemName, noNetwork, type Device } from './support';

/** A service that can't be reached, or something else that answers in its place: real connections, real faults. */

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

/** The app starts on an activated device, with the cache as the activation left it. */
function start(options: Partial<LicenseClientOptions> = {}): Device {
  const storage = memoryStorage();
  void storage.setItem(cacheName(), cached);
  return installApp(shop.product, { storage, fingerprint, ...options });
}
/** The same, eight days later, so that a check must ask. */
const startLate = (options: Partial<LicenseClientOptions> = {}): Device => start({ now: () => Date.now() + 8 * DAY, ...options });

/** Runs a task against a server of one's own. */
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
  ['speaks no HTTP', 'unreachable', (request) => void request.socket.end('hello\r\n\r\n')],
  [
    'is cut off in the middle of its answer',
    'unreachable',
    (_request, response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('{"valid": true', () => response.socket?.destroy());
    },
  ],
  ['answers half of the JSON', 'malformed', (_request, response) => void response.end('{"valid": true, "status": "act')],
  ['answers HTML', 'malformed', html(200)],
  ['answers HTML as 404', 'malformed', html(404)],
  ['answers HTML as 401', 'malformed', html(401)],
  ['answers nothing', 'malformed', (_request, response) => void response.end()],
  ['answers other JSON', 'malformed', json(200, { hello: 'world' })],
  ['answers a list', 'malformed', json(200, [])],
  ['answers null', 'malformed', json(200, null)],
  ['answers a status that is no name', 'malformed', json(200, { valid: false, status: 'Not today' })],
  ['says valid and proves nothing', 'malformed', json(200, { valid: true, status: 'active' })],
  ['answers 500', 'busy', json(500, { detail: 'Internal error' }, { 'X-Svc-Error-Code': 'internal' })],
  ['answers 500 as HTML', 'busy', html(500)],
  ['answers 503', 'busy', json(503, { detail: 'busy' })],
  ['throttles', 'busy', json(429, { detail: 'Too many requests' }, { 'X-Svc-Error-Code': 'rate_limited' })],
  ['knows no such route', 'rejected', json(404, { detail: 'Not found' }, { 'X-Svc-Error-Code': 'not_found' })],
  ['redirects', 'unreachable', (_request, response) => void response.writeHead(302, { Location: 'https://example.com/' }).end()],
  [
    'brings something that is not a token',
    'untrusted',
    json(200, { valid: true, status: 'active', license: { key: 'x' }, offline_token: 'x.y.z' }),
  ],
];

describe('a service that', () => {
  test.each(faults)('%s is a fault of the kind %s: no exception, no verdict, and nothing is forgotten', async (_what, kind, answer) => {
    await against(answer, async (baseUrl) => {
      const { client, restart, warnings } = startLate({ baseUrl, timeoutMs: 250 });
      const fault = { kind, message: expect.stringMatching(/./) as string };
      expect(await client.check()).toEqual({ status: 'offline_without_token', reason: 'expired', fault });
      expect(await client.deactivate()).toEqual({
        status: 'failed',
        fault: expect.objectContaining({ kind: expect.any(String) as string }) as Fault,
      });
      // With the service back, all is well again.
      expect(await restart({ baseUrl: baseUrlOfStack(), now: Date.now, timeoutMs: 20_000 }).client.check()).toMatchObject({
        status: 'licensed',
        source: 'network',
      });
      expect(warnings).toEqual([]);
    });
  });

  test.each([
    ['failed', 2, json(500, {})],
    ['is throttling', 2, json(429, {}, { 'X-Svc-Error-Code': 'rate_limited' })],
    ['broke off', 2, (request: IncomingMessage) => void request.socket.destroy()],
    ['is hidden by a captive portal', 2, html(200)],
    ['refuses the request', 1, json(422, { detail: 'no' }, { 'X-Svc-Error-Code': 'invalid_request' })],
  ])('%s is asked %d times for one check', async (_what, times, answer) => {
    await against(answer, async (baseUrl) => {
      const { client, requests } = startLate({ baseUrl });
      await client.check();
      expect(requests).toHaveLength(times);
    });
  });

  test('cannot be reached at all is the same', async () => {
    const closed = await against(json(200, {}), (baseUrl) => Promise.resolve(baseUrl));
    const { client } = startLate({ baseUrl: closed });
    expect(await client.check()).toMatchObject({
      status: 'offline_without_token',
      fault: { kind: 'unreachable', message: expect.stringContaining('ECONNREFUSED') as string },
    });
  });

  test('does not know the API key says so to the log, and takes no license', async () => {
    const { client } = start({ apiKey: 'wrong' });
    expect(await client.validate()).toMatchObject({
      status: 'licensed',
      source: 'cache',
      fault: { kind: 'rejected', message: expect.stringContaining('401 unauthorized') as string },
    });
  });
});

describe('a fault names neither key nor credential', () => {
  test.each(faults)('%s', async (_what, _kind, answer) => {
    const { key } = shop.license;
    const state = await against(answer, (baseUrl) => startLate({ baseUrl, timeoutMs: 100 }).client.check());
    const text = JSON.stringify(state);
    for (const secret of [key, shop.product.api_key, fingerprint]) expect(text).not.toContain(secret);
  });
});

test('one bad moment of the network goes unnoticed', async () => {
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

test('the second attempt waits a moment', async () => {
  const times: number[] = [];
  const { client } = start({
    retryDelayMs: 60,
    fetch: (url, init) => {
      times.push(performance.now());
      return noNetwork(url, init);
    },
  });
  await client.validate();
  // Timers may be early by a millisecond.
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(59);
});

describe('calls at the same time', () => {
  test('share one request', async () => {
    const { client, requests } = start();
    const states = await Promise.all([client.validate(), client.validate(), client.validate()]);
    expect(new Set(states).size).toBe(1);
    expect(requests).toEqual(['validate']);

    const late = startLate();
    await Promise.all([late.client.check(), late.client.check(), late.client.validate(), late.client.check()]);
    expect(late.requests).toEqual(['validate']);
  });

  test('of an activation and an older validation end with the activation', async () => {
    const device = installApp(shop.product);
    await device.client.activate(shop.license.key);
    await device.client.idle();
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { client } = device.restart({
      fetch: async (url, init) => {
        // The service answers that the old key is revoked, but only after the new one is active.
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

describe('closing', () => {
  test('ends a request that hangs, at once', async () => {
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

  test('leaves what is cached usable, and asks nobody any more', async () => {
    const { client, requests, states } = start();
    await client.close();
    expect(await client.check()).toMatchObject({ status: 'licensed', source: 'cache' });
    expect(await client.validate()).toMatchObject({ status: 'licensed', source: 'cache', fault: { kind: 'closed' } });
    expect([requests, states]).toEqual([[], []]);
  });
});

describe('a fetch of the app that', () => {
  test.each<[string, Fetch]>([
    [
      'throws instead of failing',
      () => {
        throw new Error('not today');
      },
    ],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what a careless fetch does
    ['fails with nothing', () => Promise.reject(undefined)],
    ['never looks at the signal', () => new Promise(() => undefined)],
    ['gives nothing', () => Promise.resolve(undefined as never)],
  ])('%s is a fault like any other', async (_what, fetch) => {
    const { client } = startLate({ fetch, timeoutMs: 50 });
    expect(await client.check()).toMatchObject({
      status: 'offline_without_token',
      fault: { kind: expect.stringMatching(/unreachable|timeout/) as string },
    });
  });
});

describe('whoever watches the state', () => {
  test('is told of changes only, and no more after leaving', async () => {
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

  test('may fail without harm to the app or to the others', async () => {
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
