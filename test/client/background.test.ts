import { LicenseClient, memoryStorage, verifyToken, type Fetch, type LicenseClientOptions } from '../../client/src';

import { ed25519 } from '../../client/src/fallback';
import { verifyKeys } from '../../client/src/keys';
import { AUDIENCE, claims, FINGERPRINT, header, other, ours, signed } from '../../client/vectors/signing';
import { clockStart } from '../support/start';
import { noNetwork } from './support';

/**
 * Tests the client's background requests while an app runs, and its choice of an Ed25519 implementation. Service and time are simulated.
 */

const MINUTE = 60_000;
/** The test's clock starts at a full second, because tokens contain times in full seconds. */
const START = Math.floor(clockStart() / 1000) * 1000;
const KEY = '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z';

/**
 * A running app with a timer and a clock that the test controls, and a simulated service whose tokens are valid for `lifeMs`. If the seat is
 * leased, the lease ends with the token.
 */
function runApp(lifeMs: number, options: Partial<LicenseClientOptions> = {}, isLeased = false) {
  let now = START;
  let timer: { readonly at: number; readonly task: () => void } | undefined;
  const requests: string[] = [];
  const app = { isOnline: true, states: [] as string[], requests };
  const fetch: Fetch = (url, init) => {
    requests.push(new URL(url).pathname.split('/').at(-1) ?? '');
    if (!app.isOnline) return noNetwork(url, init);
    const seconds = now / 1000;
    const leaseEnd = isLeased ? new Date(now + lifeMs).toISOString() : undefined;
    const token = signed(header, {
      ...claims,
      iat: seconds,
      exp: seconds + lifeMs / 1000,
      license_expires_at: null,
      lease_expires_at: leaseEnd,
    });
    const body = url.endsWith('/deactivate')
      ? { freed: true }
      : {
          valid: true,
          status: 'active',
          license: { id: 42, key: KEY, license_type: { name: 'Team', kind: 'floating' } },
          device: {},
          seats: { used: 1, max: 2 },
          offline_token: token,
        };
    return Promise.resolve({ status: 200, headers: new Headers(), text: () => Promise.resolve(JSON.stringify(body)) });
  };
  const client = new LicenseClient({
    baseUrl: 'https://licenses.example.com',
    productId: 7,
    apiKey: 'pk',
    publicKey: ours.pem,
    audience: AUDIENCE,
    fingerprint: FINGERPRINT,
    storage: memoryStorage(),
    retryDelayMs: 0,
    now: () => now,
    fetch,
    schedule: (task, ms) => {
      const own = (timer = { at: now + ms, task });
      return () => {
        if (timer === own) timer = undefined;
      };
    },
    ...options,
  });
  client.subscribe((state) => app.states.push(state.status === 'licensed' ? state.source : state.status));
  return {
    ...app,
    app,
    client,
    /** Moves the clock forward, and runs every timer that becomes due. */
    async pass(ms: number): Promise<void> {
      const until = now + ms;
      while (timer && timer.at <= until) {
        const { at, task } = timer;
        timer = undefined;
        now = at;
        task();
        await client.idle();
      }
      now = until;
    },
    hasTimer: () => timer !== undefined,
  };
}

test("a running app renews its lease at half of the lease's lifetime, and sends no other requests", async () => {
  const { client, pass, requests } = runApp(60 * MINUTE, {}, true);
  await client.activate(KEY);
  await pass(24 * 60 * MINUTE);
  expect(client.state).toMatchObject({ status: 'licensed', leaseExpiresAt: expect.any(Date) });
  // The lease lasts an hour, so the client renews it every half hour: 48 times a day.
  expect(requests.filter((operation) => operation === 'validate')).toHaveLength(48);
});

test('the state changes automatically when the token expires without a network, when grace ends, and when the network returns', async () => {
  const { app, client, pass, states } = runApp(60 * MINUTE, { graceDays: 1 });
  await client.activate(KEY);
  app.isOnline = false;
  await pass(64 * MINUTE);
  expect(states.at(-1)).toBe('cache');
  await pass(2 * MINUTE);
  expect(states.at(-1)).toBe('grace');
  await pass(24 * 60 * MINUTE);
  expect(states.at(-1)).toBe('offline_without_token');
  app.isOnline = true;
  await pass(6 * MINUTE);
  expect(states.at(-1)).toBe('network');
});

test('an unreachable service gets one check every five minutes, each with one retry', async () => {
  const { app, client, pass, requests } = runApp(60 * MINUTE);
  await client.activate(KEY);
  app.isOnline = false;
  requests.length = 0;
  await pass(90 * MINUTE);
  // The client starts to renew the token after half of its lifetime, so it sends requests in the last 60 of the 90 minutes.
  expect(requests.length).toBeGreaterThan(20);
  expect(requests.length).toBeLessThanOrEqual(26);
});

test('a client has no timer if it has no key or is closed', async () => {
  const fresh = runApp(60 * MINUTE);
  await fresh.client.check();
  expect(fresh.hasTimer()).toBe(false);
  const { client, hasTimer, requests, pass } = runApp(60 * MINUTE);
  await client.activate(KEY);
  expect(hasTimer()).toBe(true);
  await client.close({ release: true });
  await pass(600 * MINUTE);
  expect([hasTimer(), requests]).toEqual([false, ['activate', 'deactivate']]);
});

describe("the client's Ed25519 implementations", () => {
  const content = Buffer.from('content');
  const [, , signature = ''] = signed(header, claims).split('.');
  const [headerPart, claimsPart] = signed(header, claims).split('.');
  const signedContent = new TextEncoder().encode(`${headerPart}.${claimsPart}`);
  const bytes = Buffer.from(signature, 'base64url');

  const replace = (name: 'process' | 'crypto', value: unknown): (() => void) => {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
    return () => (before ? Object.defineProperty(globalThis, name, before) : delete (globalThis as { [name]?: unknown })[name]);
  };

  /** Only some properties of `process` are replaced, because jest needs the others when it loads a package. */
  const notNode: unknown = Object.create(process, { getBuiltinModule: { value: undefined }, versions: { value: {} } });

  test.each<[string, unknown, unknown]>([
    ['by Node', process, undefined],
    ['by WebCrypto, as in a browser', undefined, crypto],
    [
      'by tweetnacl, if WebCrypto does not support Ed25519',
      notNode,
      { subtle: { importKey: () => Promise.reject(new Error('NotSupportedError')) } },
    ],
    ['by tweetnacl, without WebCrypto', notNode, undefined],
    [
      'by tweetnacl, on an old Node',
      Object.create(process, { getBuiltinModule: { value: undefined }, versions: { value: { node: '18.0.0' } } }),
      crypto,
    ],
  ])('verified %s: the same signatures are valid', async (_what, fakeProcess, fakeCrypto) => {
    const restore = [replace('process', fakeProcess), replace('crypto', fakeCrypto)];
    try {
      const [key] = verifyKeys(ours.pem, ed25519);
      const [foreign] = verifyKeys(other.pem, ed25519);
      expect(await key?.verifies(signedContent, bytes)).toBe(true);
      expect(await key?.verifies(content, bytes)).toBe(false);
      expect(await key?.verifies(signedContent, bytes.subarray(1))).toBe(false);
      expect(await foreign?.verifies(signedContent, bytes)).toBe(false);
    } finally {
      for (const undo of restore) undo();
    }
  });

  test('without an Ed25519 implementation a token has the problem `unsupported`, not an invalid signature', async () => {
    const restore = [replace('process', notNode), replace('crypto', undefined)];
    try {
      expect(await verifyToken(signed(header, claims), { publicKey: ours.pem, fingerprint: FINGERPRINT })).toEqual({
        problem: 'unsupported',
      });
    } finally {
      for (const undo of restore) undo();
    }
  });
});
