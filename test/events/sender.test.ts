import type { LookupAddress } from 'node:dns';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { isAccepted, type PostResult } from '../../lambdas/domain/delivery';
import { deliveryHeaders } from '../../lambdas/domain/webhook-signature';
import { createSender, LIMITS, type Lookup, type Sender, type SenderOptions } from '../../lambdas/runtime/webhooks/sender';
import { selfSigned } from '../support/certificate';
import { startReceiver, startTcp, type Answer, type Listening, type Receiver } from '../support/receiver';
import { PRIVATE_HOSTS } from '../support/ssrf';
import { clockStart } from '../support/start';
import { until } from '../support/until';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = JSON.stringify({ id: '0'.repeat(32), event: 'license.created', data: { name: 'Zoë 🔑\u2028' } });
/** A short time limit for attempts, for tests in which an attempt reaches the limit. */
const SHORT = { attemptMs: 300 };

const closers: (() => Promise<void> | void)[] = [];
const closeAfter = <Closable extends { close(): Promise<void> | void }>(it: Closable): Closable => {
  closers.push(() => it.close());
  return it;
};
afterEach(async () => {
  await Promise.all(closers.splice(0).map(async (close) => close()));
});

const newSender = (options: Partial<SenderOptions> = {}): Sender =>
  closeAfter(createSender({ allowPrivate: true, clock: Date.now, ...options }));
const receiver = async (answer?: Answer): Promise<Receiver> => closeAfter(await startReceiver(answer));
const tcp = async (onRequest: (socket: Socket) => void): Promise<Listening> => closeAfter(await startTcp(onRequest));
const post = (sender: Sender, url: string): Promise<PostResult> =>
  sender.post(url, deliveryHeaders({ id: '0'.repeat(32), event: 'license.created', body: BODY }, [SECRET], 1_700_000_000_999), BODY);

test('a receiver can verify a delivery by the specification, and by Standard Webhooks, too', async () => {
  const backend = await receiver();
  expect(await post(newSender(), `${backend.url}/a%20b?c=d#e`)).toMatchObject({ status: 200, error: null });
  const [delivery] = backend.received;
  const { headers, raw, method, path } = delivery!;
  expect({ method, path }).toEqual({ method: 'POST', path: '/hook/a%20b?c=d' });
  expect(raw.equals(Buffer.from(BODY))).toBe(true);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(BODY)),
    'x-svc-event': 'license.created',
  });

  // Verifies the signature over the raw bytes, in constant time and before parsing, as receivers should do (docs/spec/events.md,
  // Signatures).
  const expected = createHmac('sha256', SECRET).update(raw).digest('hex');
  expect(timingSafeEqual(Buffer.from(String(headers['x-svc-signature'])), Buffer.from(expected))).toBe(true);

  // Verifies the signature by the specification of https://www.standardwebhooks.com.
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  expect({ id, timestamp }).toEqual({ id: '0'.repeat(32), timestamp: '1700000000' });
  const signed = createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(`${String(id)}.${String(timestamp)}.`), raw]))
    .digest('base64');
  expect(String(signatures).split(' ')).toContain(`v1,${signed}`);
});

describe('only the response decides whether an event is accepted', () => {
  test.each([200, 202, 204, 299, 300, 301, 302, 303, 304, 307, 308, 399])('%i accepts it', async (status) => {
    const backend = await receiver(() => status);
    expect(await post(newSender(), backend.url)).toMatchObject({ status, error: null });
  });

  test.each([400, 401, 404, 410, 429, 500, 502, 503, 599])('%i does not accept it', async (status) => {
    const backend = await receiver(() => status);
    expect(await post(newSender(), backend.url)).toMatchObject({ status, error: `the receiver responded with ${status}` });
  });

  test('status 400 is the lowest status that does not accept', () => expect([399, 400].map(isAccepted)).toEqual([true, false]));

  test('interim responses before the final one are skipped', async () => {
    const backend = await tcp((socket) =>
      socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'),
    );
    expect(await post(newSender(), backend.url)).toMatchObject({ status: 204, error: null });
  });

  test('an interim response alone accepts nothing', async () => {
    const backend = await tcp((socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'));
    expect(await post(newSender(), backend.url)).toMatchObject({ status: null, error: expect.any(String) as string });
  });

  test('a response of HTTP/1.0, which ends when the server closes the connection, is a response', async () => {
    const backend = await tcp((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nthank you'));
    expect(await post(newSender(), backend.url)).toMatchObject({ status: 200, error: null });
  });
});

// An operator who sees only a status must ask the receiver's developer what was wrong.
describe('of the response to a failed attempt, the beginning is kept', () => {
  const responding = async (status: number, body: string | Buffer): Promise<string | undefined> => {
    const backend = await receiver((_, response) => void response.writeHead(status).end(body));
    return (await post(newSender(), backend.url)).response;
  };

  test.each<[string, string | Buffer, string | undefined]>([
    ['a text', '{"error": "unknown product"}\n', '{"error": "unknown product"}'],
    ['nothing', '', undefined],
    ['white space', ' \r\n', undefined],
    ['control characters', 'a\u0000\u001b[31mb\n\tc\u0085', 'a[31mb\n\tc'],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a\ufffdb'],
    ['more than 1,024 bytes', 'x'.repeat(5000), 'x'.repeat(1024)],
    ['a character on the limit', `${'x'.repeat(1022)}\u20acy`, 'x'.repeat(1022)],
    ['more than is read', 'x'.repeat(200_000), 'x'.repeat(1024)],
  ])('%s', async (_, body, kept) => expect(await responding(500, body)).toBe(kept));

  test('of the response that accepts an event, nothing', async () => expect(await responding(200, 'thank you')).toBeUndefined());
});

describe('a redirect is a response and is not followed', () => {
  test.each([301, 302, 303, 307, 308])('%i', async (status) => {
    const trap = await receiver();
    const backend = await receiver((_, response) => void response.writeHead(status, { location: trap.url }).end());
    expect(await post(newSender(), backend.url)).toMatchObject({ status, error: null });
    expect({ followed: trap.connections(), asked: backend.received.length }).toEqual({ followed: 0, asked: 1 });
  });
});

describe('a receiver that stalls delays an attempt for at most 10 s', () => {
  test('the limits are the documented ones', () =>
    expect(LIMITS).toEqual({ attemptMs: 10_000, responseBytes: 65_536, keptBytes: 1024, keepAliveMs: 3000 }));

  /** Writes one byte after another while the connection is open. */
  const drip = (socket: Socket, text: (at: number) => string): void => {
    let at = 0;
    const timer = setInterval(() => socket.write(text(at++)), 20);
    socket.on('close', () => clearInterval(timer));
  };

  test.each<[string, number | null, (socket: Socket) => void]>([
    ['answers nothing', null, () => undefined],
    ['drips the status line', null, (socket) => drip(socket, (at) => 'HTTP/1.1 200 OK\r\n'[at] ?? '')],
    ['drips a header without end', null, (socket) => drip(socket, (at) => (at === 0 ? 'HTTP/1.1 200 OK\r\nx: ' : 'a'))],
    ['sends interim answers without end', null, (socket) => drip(socket, () => 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['drips a body', 200, (socket) => drip(socket, (at) => (at === 0 ? 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n' : 'a'))],
    [
      'drips chunks',
      200,
      (socket) => drip(socket, (at) => (at === 0 ? 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n' : '1\r\na\r\n')),
    ],
    ['drips a refusal', 500, (socket) => drip(socket, (at) => (at === 0 ? 'HTTP/1.1 500 Oops\r\ncontent-length: 1000\r\n\r\n' : 'a'))],
    ['never ends its body', 200, (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n')],
  ])('one that %s', async (_, status, behave) => {
    const backend = await tcp(behave);
    expect(await post(newSender({ limits: SHORT }), backend.url)).toMatchObject({ status, error: 'no complete response within 0.3 s' });
  });

  test('a receiver that never responds to a TLS handshake', async () => {
    const backend = await tcp(() => undefined);
    expect(await post(newSender({ limits: SHORT }), backend.url.replace('http', 'https'))).toMatchObject({
      status: null,
      error: 'no complete response within 0.3 s',
    });
  });

  test('a resolver that never responds', async () => {
    const sender = newSender({ allowPrivate: false, lookup: () => undefined, limits: SHORT });
    expect(await post(sender, 'https://hooks.example/')).toMatchObject({ status: null, error: 'no complete response within 0.3 s' });
  });

  test('if the resolver does not respond, there is only one lookup of a host name at a time, no matter how many events wait for it', async () => {
    const asked: string[] = [];
    const sender = newSender({ allowPrivate: false, lookup: (hostname) => void asked.push(hostname), limits: SHORT });
    const waiting = ['dead.example', 'dead.example', 'other.example', 'dead.example'].map((host) => post(sender, `https://${host}/`));
    for (const result of await Promise.all(waiting))
      expect(result).toMatchObject({ status: null, error: 'no complete response within 0.3 s' });
    expect(asked).toEqual(['dead.example', 'other.example']);
  });

  test('nothing is posted if the resolver responds only after the attempt has ended', async () => {
    const trap = await receiver();
    let answer: () => void = () => undefined;
    const late: Lookup = (_hostname, _options, callback) => {
      answer = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const sender = newSender({ lookup: late, limits: { attemptMs: 50 } });
    expect(await post(sender, `http://hooks.example:${trap.port}/`)).toMatchObject({ error: 'no complete response within 0.05 s' });
    answer();
    // A later delivery to the same receiver has arrived. If the earlier event had been posted, it would have arrived before.
    expect(await post(newSender(), trap.url)).toMatchObject({ status: 200 });
    expect(trap.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  test('other receivers get their events meanwhile, even on the same machine', async () => {
    let stalled = 0;
    const backend = await receiver((_, response) => {
      if (stalled >= 40) return 200;
      stalled += 1;
      // This receiver never responds.
      void response;
      return undefined;
    });
    const sender = newSender();
    const hanging = Promise.all(Array.from({ length: 40 }, () => post(sender, backend.url)));
    await until('forty receivers hang', () => stalled === 40);
    const other = await receiver();
    expect(await post(sender, other.url)).toMatchObject({ status: 200, error: null });
    expect(await post(sender, backend.url)).toMatchObject({ status: 200, error: null });
    await backend.close();
    expect((await hanging).every(({ status, error }) => status === null && error !== null)).toBe(true);
  });
});

describe('a receiver that does not finish a valid response has not accepted the event', () => {
  test.each<[string, number | null, (socket: Socket) => void]>([
    ['resets before an answer', null, (socket) => void socket.resetAndDestroy()],
    ['closes before an answer', null, (socket) => void socket.end()],
    ['closes within its head', null, (socket) => void socket.end('HTTP/1.1 200 O')],
    ['closes within its headers', null, (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
    ['cuts its body short', 200, (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')],
    ['cuts its chunks short', 200, (socket) => void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\nabc')],
    [
      'ends its chunks without an end',
      200,
      (socket) => void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'),
    ],
    ['speaks no HTTP', null, (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['sends bytes at random', null, (socket) => void socket.end(Buffer.from([0, 255, 13, 10, 0, 128, 7]))],
    ['gives a status of two digits', null, (socket) => void socket.end('HTTP/1.1 20 OK\r\n\r\n')],
    ['gives two lengths', null, (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab')],
    [
      'changes protocol unasked',
      null,
      (socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
  ])('one that %s', async (_, status, behave) => {
    const backend = await tcp(behave);
    const result = await post(newSender({ limits: { attemptMs: 3000 } }), backend.url);
    expect(result).toMatchObject({ status, error: expect.stringMatching(/\w/) as string });
    // The error text is for an operator who reads the delivery log.
    expect(result.error).not.toMatch(/no complete response|\[object|^Error:|undefined/);
  });

  test('a port on which no server listens', async () => {
    const backend = await startReceiver();
    await backend.close();
    expect(await post(newSender(), backend.url)).toMatchObject({ status: null, error: expect.stringContaining('ECONNREFUSED') as string });
    expect(await post(newSender(), backend.url.replace('127.0.0.1', 'localhost'))).toMatchObject({
      error: expect.stringContaining('ECONNREFUSED') as string,
    });
  });
});

describe('a receiver that sends huge responses does not exhaust the memory', () => {
  const CHUNK = Buffer.alloc(64 * 1024, 'a');
  const GIGABYTE = 1024 ** 3;

  /** Writes a gigabyte as fast as the client reads it. */
  const flood = (socket: Socket, head: string): void => {
    socket.write(head);
    let left = GIGABYTE;
    const pour = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= CHUNK.length;
        if (!socket.write(CHUNK)) return void socket.once('drain', pour);
      }
    };
    pour();
  };

  test.each<[string, number, string | null, string]>([
    ['a body of a gigabyte', 200, null, `HTTP/1.1 200 OK\r\ncontent-length: ${GIGABYTE}\r\n\r\n`],
    ['a body without a length', 200, null, 'HTTP/1.1 200 OK\r\n\r\n'],
    ['a refusal of a gigabyte', 500, 'the receiver responded with 500', `HTTP/1.1 500 Oops\r\ncontent-length: ${GIGABYTE}\r\n\r\n`],
  ])('%s: the status decides, and the service does not wait for the end of the body', async (_, status, error, head) => {
    let written = 0;
    const backend = await tcp((socket) => {
      socket.on('close', () => (written = socket.bytesWritten));
      flood(socket, head);
    });
    expect(await post(newSender(), backend.url)).toMatchObject({ status, error });
    await until('the connection is closed', () => written > 0);
    // The receiver could write at most the content of two socket buffers, because the client stopped reading.
    expect(written).toBeLessThan(GIGABYTE / 32);
  });

  test.each([
    ['one huge header', (socket: Socket) => flood(socket, 'HTTP/1.1 200 OK\r\nx: ')],
    ['many headers', (socket: Socket) => void socket.end(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}\r\n`)],
  ])('%s: the attempt fails as if there were no response', async (_, behave) => {
    const backend = await tcp(behave);
    expect(await post(newSender(), backend.url)).toMatchObject({ status: null, error: expect.stringMatching(/header/i) as string });
  });
});

describe('a delivery over TLS only goes to a server that owns the host name', () => {
  const withCertificate = async (names: string[], days?: number) => {
    const certificate = selfSigned(names, days);
    return { ca: certificate.cert, backend: closeAfter(await startReceiver(() => 200, certificate)) };
  };

  test('a trusted certificate for the host name is accepted', async () => {
    const { ca, backend } = await withCertificate(['127.0.0.1']);
    expect(await post(newSender({ ca }), backend.url)).toMatchObject({ status: 200, error: null });
  });

  test.each<[string, string[], number | undefined, boolean, RegExp]>([
    ['an unknown authority', ['127.0.0.1'], undefined, false, /self-signed|DEPTH_ZERO/i],
    ['another name', ['example.com'], undefined, true, /altnames|ERR_TLS_CERT_ALTNAME_INVALID/i],
    ['a certificate that has run out', ['127.0.0.1'], 0.5, true, /expired/i],
  ])('%s is refused before anything is sent', async (_, names, days, trusted, reason) => {
    const { ca, backend } = await withCertificate(names, days);
    expect(await post(newSender(trusted ? { ca } : {}), backend.url)).toMatchObject({
      status: null,
      error: expect.stringMatching(reason) as string,
    });
    expect(backend.received).toEqual([]);
  });

  test('a server without TLS is refused', async () => {
    const backend = await receiver();
    expect(await post(newSender(), backend.url.replace('http', 'https'))).toMatchObject({
      status: null,
      error: expect.stringMatching(/\w/) as string,
    });
    expect(backend.received).toEqual([]);
  });
});

describe('connections are kept open, but not too long', () => {
  // A delivery may start before the client knows that the previous connection is free. Therefore there may be twice as many connections as
  // simultaneous deliveries.
  test('deliveries one after the other share connections', async () => {
    const backend = await receiver();
    const sender = newSender();
    for (let i = 0; i < 20; i += 1) expect(await post(sender, backend.url)).toMatchObject({ error: null });
    expect(backend.connections()).toBeLessThanOrEqual(2);
  });

  test('simultaneous deliveries do not block one another, and their connections are used again', async () => {
    const backend = await receiver();
    const sender = newSender();
    for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 10 }, () => post(sender, backend.url)));
    expect(backend.received).toHaveLength(100);
    expect(backend.connections()).toBeLessThanOrEqual(20);
  });

  test('the connection stays open after a response with a failing status', async () => {
    const backend = await receiver(() => 500);
    const sender = newSender();
    for (let i = 0; i < 10; i += 1) await post(sender, backend.url);
    expect(backend.connections()).toBeLessThanOrEqual(2);
  });

  test('an event is not lost on a connection that was closed while the function was frozen', async () => {
    let now = clockStart();
    const backend = await receiver();
    const sender = newSender({ clock: () => now });
    await post(sender, backend.url);
    now += LIMITS.keepAliveMs + 1;
    expect(await post(sender, backend.url)).toMatchObject({ error: null });
    expect(backend.connections()).toBe(2);
  });

  test('a slow receiver can still respond while a later delivery closes the old idle connections', async () => {
    let now = clockStart();
    const answers: (() => void)[] = [];
    const slow = await receiver(() => new Promise<number>((resolve) => answers.push(() => resolve(200))));
    const backend = await receiver();
    const sender = newSender({ clock: () => now });
    const first = post(sender, slow.url);
    await until('the slow receiver has it', () => answers.length === 1);
    now += LIMITS.keepAliveMs + 1;
    expect(await post(sender, backend.url)).toMatchObject({ error: null });
    answers.forEach((answer) => answer());
    expect(await first).toMatchObject({ status: 200, error: null });
  });

  test('an idle connection is closed before a server would close it', async () => {
    let closed = 0;
    const backend = await tcp((socket) => {
      socket.on('close', () => (closed += 1));
      socket.write('HTTP/1.1 204 No Content\r\nkeep-alive: timeout=600\r\n\r\n');
    });
    await post(newSender({ limits: { keepAliveMs: 50 } }), backend.url);
    await until('the idle connection is closed', () => closed === 1);
  });

  test('a receiver that closes after each answer gets every event', async () => {
    const backend = await tcp((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'));
    const sender = newSender();
    for (let i = 0; i < 10; i += 1) expect(await post(sender, backend.url)).toMatchObject({ status: 200, error: null });
    expect(backend.connections()).toBe(10);
  });

  test('an extra response is not used for the next event', async () => {
    let asked = 0;
    const backend = await tcp((socket) => {
      asked += 1;
      socket.write(
        asked === 1 ? 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'.repeat(2) : 'HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n',
      );
    });
    const sender = newSender();
    await post(sender, backend.url);
    const second = await post(sender, backend.url);
    expect(second.error).not.toBeNull();
  });
});

describe('if private IP addresses are not allowed, the service never connects to a private IP address', () => {
  const addresses = (...list: string[]): LookupAddress[] => list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const resolvesTo =
    (...list: string[]): Lookup =>
    (_hostname, _options, callback) =>
      callback(null, addresses(...list));
  const guarded = (lookup: Lookup): Sender => newSender({ allowPrivate: false, allowHttp: true, lookup, limits: SHORT });
  const system: Lookup = (hostname, _options, callback) => callback(new Error(`${hostname} is looked up`), []);
  const refused = { status: null, error: expect.stringContaining('is not a public address') as string };

  test('in any spelling in a URL', async () => {
    const trap = await tcp(() => undefined);
    const sender = guarded(system);
    for (const [host] of PRIVATE_HOSTS) {
      for (const scheme of ['http', 'https']) {
        expect([host, await post(sender, `${scheme}://${host}:${trap.port}/`)]).toMatchObject([host, refused]);
      }
    }
    expect(trap.connections()).toBe(0);
  });

  test('by any host name that resolves to one', async () => {
    const trap = await tcp(() => undefined);
    const literal = PRIVATE_HOSTS.map(([host]) => new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '')).filter((host) =>
      /^[\d.]+$|:/.test(host),
    );
    expect(literal.length).toBeGreaterThan(60);
    for (const address of [...literal, '::1%lo', 'nonsense']) {
      expect([address, await post(guarded(resolvesTo(address)), `http://hooks.example:${trap.port}/`)]).toMatchObject([address, refused]);
    }
    expect(trap.connections()).toBe(0);
  });

  test.each([
    ['one of several addresses is private', ['8.8.8.8', '127.0.0.1']],
    ['the private one comes first', ['127.0.0.1', '8.8.8.8']],
    ['the private one is of the other family', ['8.8.8.8', '::1']],
    ['it is mapped', ['::ffff:127.0.0.1']],
    ['there is none', []],
  ])('when a name resolves to several: %s', async (_, list) => {
    const trap = await tcp(() => undefined);
    expect(await post(guarded(resolvesTo(...list)), `http://hooks.example:${trap.port}/`)).toMatchObject(refused);
    expect(trap.connections()).toBe(0);
  });

  test('if a name was public before: each connection goes to the IP address that was checked', async () => {
    const trap = await tcp((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    let lookups = 0;
    const rebinding: Lookup = (_hostname, _options, callback) => {
      lookups += 1;
      // An IP address in a former test network of the internet, where no server responds.
      callback(null, addresses(lookups === 1 ? '3ffe::1' : '127.0.0.1'));
    };
    const sender = guarded(rebinding);
    const first = await post(sender, `http://hooks.example:${trap.port}/`);
    expect(first).toMatchObject({ status: null, error: expect.not.stringContaining('not a public') as string });
    // The sender looks up the name only once per connection, so it connects to the address that it has checked.
    expect(lookups).toBe(1);
    for (let i = 0; i < 3; i += 1) expect(await post(sender, `http://hooks.example:${trap.port}/`)).toMatchObject(refused);
    expect(trap.connections()).toBe(0);
  });

  test('if a host name does not resolve, the attempt fails with this reason', async () => {
    const unknown: Lookup = (hostname, _options, callback) =>
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), []);
    expect(await post(guarded(unknown), 'https://hooks.example/')).toMatchObject({
      status: null,
      error: expect.stringContaining('ENOTFOUND') as string,
    });
  });

  test('no event is sent unencrypted to a URL that was set while the deployment allowed it', async () => {
    const trap = await tcp(() => undefined);
    const sender = newSender({ allowPrivate: false, lookup: resolvesTo('8.8.8.8'), limits: SHORT });
    expect(await post(sender, `http://hooks.example:${trap.port}/`)).toMatchObject({
      status: null,
      error: expect.stringContaining('https:') as string,
    });
  });

  test('if private IP addresses are allowed, loopback is reached by IP address and by name', async () => {
    const backend = await receiver();
    const sender = newSender();
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      expect([host, await post(sender, `http://${host}:${backend.port}/`)]).toMatchObject([host, { status: 200 }]);
    }
  });
});
