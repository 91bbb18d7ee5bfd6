import fc from 'fast-check';
import { errorProblem } from './document';
import { exchange, leave, readAnswers } from './wire';

/** Generates and sends bytes, most of which are not valid requests. */

/** The actions of a client on its connection. */
export interface Bytes {
  readonly parts: readonly Buffer[];
  /** True if the client closes the connection before the response. */
  readonly leaves: boolean;
}

const methods = fc.constantFrom(
  'GET',
  'POST',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PUT',
  'DELETE',
  'PATCH',
  'PROPFIND',
  'QUERY',
  'get',
  'BREW',
  '',
  'G\u0000T',
  'GET ',
);
const targets = fc.oneof(
  fc.constantFrom(
    '/',
    '/healthz',
    '/v1/products',
    '/v1/products/1',
    '/v1/products/1/activate',
    '/v1/products/1/validate?key=x&fingerprint=abcdefgh',
    '/admin',
    '/admin/',
    '/docs',
    '/openapi.json',
    '*',
    '',
    '//',
    '/..',
    '/v1/../healthz',
    '//healthz',
    '/healthz/',
    '/healthz//',
    '/healthz?',
    '/healthz#x',
    '/%2e%2e/',
    '/v1%2Fproducts',
    'http://x/healthz',
    'http://',
    'x:1',
    '/healthz\u0000',
    '/é',
    '/\\',
    `/${'x'.repeat(20_000)}`,
    `/?${'a=b&'.repeat(3000)}`,
  ),
  fc.stringMatching(/^\/[\x21-\x7e]{0,60}$/),
);
const versions = fc.constantFrom(
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/9.9',
  'http/1.1',
  'HTTP/1.1 ',
  '',
  'HTTP/1',
);
const lines = fc.oneof(
  fc.constantFrom(
    'Host: x',
    'Host: x',
    'Host: y',
    'Host:',
    'Connection: close',
    'Connection: keep-alive',
    'Connection: upgrade',
    'Upgrade: websocket',
    'Upgrade: h2c',
    'Content-Length: 0',
    'Content-Length: 5',
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 1e3',
    'Content-Length: 99999999999',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding : chunked',
    'Expect: 100-continue',
    'Expect: miracles',
    'TE: trailers',
    'Trailer: X',
    'X-Svc-Admin-Token: wrong',
    'X-API-Key: wrong',
    'Content-Type: application/json',
    '__proto__: x',
    'constructor: x',
    'X: a\u0000b',
    'X: \u00ff',
    'X\u00ff: a',
    ' folded',
    'nonsense',
    ': empty',
    'X:',
    'X',
    `X: ${'x'.repeat(20_000)}`,
    ...['', ' ', '\t'],
  ),
  fc.stringMatching(/^[\x20-\x7e]{0,60}$/),
);
const bodies = fc.constantFrom(
  '',
  'hello',
  '{}',
  '5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhel',
  'zz\r\n',
  '0\r\n\r\n',
  'ffffffffffffffff\r\nx',
  '-1\r\n',
  '1;ext="\r\n"\r\nx\r\n0\r\nX: y\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
);
const breaks = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\r\n');

const assembled: fc.Arbitrary<Buffer> = fc
  .tuple(methods, targets, versions, fc.array(lines, { maxLength: 8 }), breaks, bodies)
  .map(([method, target, version, all, end, body]) =>
    Buffer.from([`${method} ${target} ${version}`, ...all].map((line) => line + end).join('') + end + body, 'latin1'),
  );

const noise = fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes));

type Edit = (bytes: Buffer) => Buffer;
/** A function that makes one random change to bytes. */
const edits: fc.Arbitrary<Edit> = fc
  .tuple(
    fc.nat(),
    fc.nat({ max: 255 }),
    fc.nat({ max: 200 }),
    fc.constantFrom('set' as const, 'insert' as const, 'delete' as const, 'repeat' as const, 'cut' as const, 'swap' as const),
  )
  .map(([where, byte, length, kind]) => (bytes) => {
    const at = bytes.length === 0 ? 0 : where % bytes.length;
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    switch (kind) {
      case 'set':
        return Buffer.concat([before, Buffer.of(byte), after.subarray(1)]);
      case 'insert':
        return Buffer.concat([before, Buffer.alloc(1 + (length % 5), byte), after]);
      case 'delete':
        return Buffer.concat([before, after.subarray(length)]);
      case 'repeat':
        return Buffer.concat([before, after.subarray(0, length), after]);
      case 'cut':
        return before;
      case 'swap':
        return Buffer.concat([after, before]);
    }
  });

/** Generates what a client sends on a connection. @param sound the bytes of valid requests */
export const bytes = (sound: fc.Arbitrary<Buffer>): fc.Arbitrary<Bytes> => {
  const changed = fc
    .tuple(sound, fc.array(edits, { minLength: 1, maxLength: 4 }))
    .map(([whole, all]) => all.reduce((left, edit) => edit(left), whole));
  const one = fc.oneof({ weight: 3, arbitrary: changed }, { weight: 3, arbitrary: assembled }, { weight: 1, arbitrary: noise });
  const pipelined = fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')) },
        { weight: 1, arbitrary: one },
      ),
      { minLength: 2, maxLength: 8 },
    )
    .map((all) => Buffer.concat(all));
  const slow = fc
    .tuple(one, fc.nat({ max: 500 }))
    .map(([whole, at]) => [whole.subarray(0, at), whole.subarray(at, at + 3), whole.subarray(at + 3)]);
  return fc.record({
    parts: fc.oneof(
      { weight: 8, arbitrary: one.map((whole) => [whole]) },
      { weight: 3, arbitrary: pipelined.map((whole) => [whole]) },
      { weight: 1, arbitrary: slow },
    ),
    leaves: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  });
};

/** Pages are files. If the file store refuses a request for a page, the error has the file store's own format. */
const fromPages = (type = ''): boolean => /^(text\/|application\/(xml|javascript))/.test(type);

/**
 * Sends bytes, and returns the statuses of the responses.
 * @throws Error if a response is not HTTP, reports a fault of the service, or is an error that does not have the service's error format
 */
export async function sendBytes({ parts, leaves }: Bytes, baseUrl: string): Promise<number[]> {
  const whole = Buffer.concat([...parts]);
  if (leaves) {
    await leave(baseUrl, whole);
    return [];
  }
  const shown = (): string => JSON.stringify(whole.toString('latin1').slice(0, 1500));
  const text = await exchange(baseUrl, parts);
  const answers = readAnswers(text);
  // If the bytes are only line breaks, they are not a request, so a response is not required.
  if (answers.length === 0 && /[^\r\n]/.test(whole.toString('latin1'))) throw new Error(`No answer to ${shown()}`);
  for (const answer of answers) {
    const problem =
      answer.status >= 400 && !fromPages(answer.headers['content-type'])
        ? errorProblem(answer)
        : answer.status >= 500
          ? 'A fault'
          : undefined;
    if (problem !== undefined) throw new Error(`${problem}\n→ ${shown()}\n← ${text.slice(0, 1000)}`);
  }
  return answers.map(({ status }) => status);
}
