import { createHmac } from 'node:crypto';
import { Environment, LogLevel, Paddle } from '@paddle/paddle-node-sdk';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import type { Processor } from '../../../lambdas/contract/processors';
import { adapters, type Headers } from '../../../lambdas/domain/payments';
import { anyCharacter } from '../../support/any-text';

/**
 * If the signature checks are wrong, anybody can create a license, or no sale creates a license. The test vectors come from the processors'
 * official libraries. The service must accept and refuse the same messages as these libraries.
 */

const BODY = '{"id":"evt_1","type":"order.created","name":"Ada Büyer"}';
const SIGNED_AT = 1_790_000_000;
const NOW = (SIGNED_AT + 1) * 1000;

interface Vector {
  readonly name: string;
  readonly processor: Processor;
  readonly secret: string;
  readonly headers: Headers;
  /** The name of the header that contains the signature. */
  readonly signature: string;
}

const polarHeaders = (signature: string): Headers => ({
  'webhook-id': '7f6b2f3e-0000-4000-8000-000000000001',
  'webhook-timestamp': String(SIGNED_AT),
  'webhook-signature': signature,
});
const POLAR_SECRET = 'whsec_QXVyb3JhQXVyb3JhQXVyb3JhQXVyb3JhQXVyb3JhMzI=';

const vectors: readonly Vector[] = [
  {
    name: 'Stripe',
    processor: 'stripe',
    secret: 'whsec_AuroraTestSecret0123456789',
    signature: 'stripe-signature',
    headers: { 'stripe-signature': `t=${SIGNED_AT},v1=63b00346354216931ae0de25b675923a5bbd466226009b6a4157ab728a5fae09` },
  },
  {
    name: 'Paddle',
    processor: 'paddle',
    secret: 'pdl_ntfset_01aurora_TestSecret',
    signature: 'paddle-signature',
    headers: { 'paddle-signature': `ts=${SIGNED_AT};h1=67a47d350a56d96dd4670b98a8b2bde4c563533ec82b7e73d3d3601d3f153dff` },
  },
  {
    name: 'Lemon Squeezy',
    processor: 'lemonsqueezy',
    secret: 'aurora-ls-secret',
    signature: 'x-signature',
    headers: { 'x-signature': '1fcac0decfb66c5a0a7f098cf6311fb06c577fa78f8ca2d0a87f3e2d39117121' },
  },
  {
    name: 'Polar, Standard Webhooks',
    processor: 'polar',
    secret: POLAR_SECRET,
    signature: 'webhook-signature',
    headers: polarHeaders('v1,R4UwH4BO31gcWBVnWXg+Y5Iip8td7eDD7b1IwTa8Fa0='),
  },
  {
    name: 'Polar, the older key of the same secret',
    processor: 'polar',
    secret: POLAR_SECRET,
    signature: 'webhook-signature',
    headers: polarHeaders('v1,HhK+jJE70o8ZaOc/wSTXgv97wJe3YEinidZoMqhxDRs='),
  },
  {
    name: 'Polar, an older secret',
    processor: 'polar',
    secret: 'whsec_AuroraLegacyToken',
    signature: 'webhook-signature',
    headers: polarHeaders('v1,1E+YLZbkg9+gQ2t3FiGNbryWYmMF8SpvXAJyzv3cUmY='),
  },
];
const timed = vectors.filter(({ processor }) => processor !== 'lemonsqueezy');

const bytes = (text: string): Buffer => Buffer.from(text);
const accepts = (
  { processor, headers, secret }: Vector,
  change: { body?: Uint8Array; headers?: Headers; secrets?: readonly string[]; now?: number } = {},
): boolean =>
  adapters[processor].verify(change.body ?? bytes(BODY), { ...headers, ...change.headers }, change.secrets ?? [secret], change.now ?? NOW);

describe.each(vectors)('$name', (vector) => {
  const value = vector.headers[vector.signature]!;

  test("the official library's test vector is accepted, even if other secrets are configured too", () => {
    expect(accepts(vector)).toBe(true);
    expect(accepts(vector, { secrets: ['another', vector.secret] })).toBe(true);
  });

  test('another secret, no secret, and a missing or empty header are refused', () => {
    expect(accepts(vector, { secrets: ['another'] })).toBe(false);
    expect(accepts(vector, { secrets: [] })).toBe(false);
    expect(accepts(vector, { headers: { [vector.signature]: undefined } })).toBe(false);
    expect(accepts(vector, { headers: { [vector.signature]: '' } })).toBe(false);
    expect(adapters[vector.processor].verify(bytes(BODY), {}, [vector.secret], NOW)).toBe(false);
  });

  test('a body with any one bit changed, shortened or serialized again is refused', () => {
    fc.assert(
      fc.property(fc.nat(bytes(BODY).length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const body = bytes(BODY);
        body[at]! ^= mask;
        return !accepts(vector, { body });
      }),
    );
    expect(accepts(vector, { body: bytes(JSON.stringify(JSON.parse(BODY), null, 2)) })).toBe(false);
    expect(accepts(vector, { body: bytes('') })).toBe(false);
  });

  test('a header with any one character of its signature changed is refused', () => {
    const start = value.lastIndexOf(value.includes('v1,') ? ',' : '=') + 1;
    const digits = vector.processor === 'polar' ? 'ABCDEFGHabcdefgh01234567+/' : '0123456789abcdef';
    fc.assert(
      // The last symbol of a base64 text contains unused bits. A change of these bits leaves the signature the same, so the test does not
      // change this symbol.
      fc.property(fc.integer({ min: start, max: value.length - 3 }), fc.constantFrom(...digits), (at, digit) => {
        fc.pre(value[at] !== digit);
        return !accepts(vector, { headers: { [vector.signature]: value.slice(0, at) + digit + value.slice(at + 1) } });
      }),
    );
  });

  test('any header is refused without an exception', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (header) => !accepts(vector, { headers: { [vector.signature]: header } })));
    for (const odd of [value.toUpperCase(), `${value}00`, value.slice(0, -1), value.slice(1)]) {
      expect([odd, accepts(vector, { headers: { [vector.signature]: odd } })]).toEqual([odd, false]);
    }
  });
});

test.each(timed)('$name: a difference of five minutes is accepted, a second more is not', (vector) => {
  const seconds = (away: number): number => (SIGNED_AT + away) * 1000;
  expect([300, -300, 0].map((away) => accepts(vector, { now: seconds(away) }))).toEqual([true, true, true]);
  expect([301, -301, 86_400].map((away) => accepts(vector, { now: seconds(away) }))).toEqual([false, false, false]);
});

test('one valid signature among several is enough: during a rotation, messages are signed with two secrets', () => {
  const [stripe, paddle, , polar] = vectors as [Vector, Vector, Vector, Vector];
  const zeros = '0'.repeat(64);
  const [, code = ''] = stripe.headers['stripe-signature']!.split('v1=');
  for (const header of [
    `t=${SIGNED_AT},v1=${zeros},v1=${code}`,
    `t=${SIGNED_AT},v1=${code},v1=${zeros}`,
    `v0=${zeros},t=${SIGNED_AT}, v1=${code},v9=x`,
  ]) {
    expect(accepts(stripe, { headers: { 'stripe-signature': header } })).toBe(true);
  }
  // A correct signature is refused if it has the name of another signature scheme.
  expect(accepts(stripe, { headers: { 'stripe-signature': `t=${SIGNED_AT},v0=${code}` } })).toBe(false);
  expect(accepts(stripe, { headers: { 'stripe-signature': `v1=${code}` } })).toBe(false);

  const [, h1 = ''] = paddle.headers['paddle-signature']!.split('h1=');
  for (const header of [`ts=${SIGNED_AT};h1=${h1};h1=${zeros}`, `ts=${SIGNED_AT};h1=${zeros};h1=${h1}`]) {
    expect(accepts(paddle, { headers: { 'paddle-signature': header } })).toBe(true);
  }

  const signature = polar.headers['webhook-signature']!;
  for (const header of [`v1a,x ${signature}`, `${signature} v1,${'A'.repeat(43)}=`])
    expect(accepts(polar, { headers: { 'webhook-signature': header } })).toBe(true);
});

test('Polar: a message with a changed id is refused; a signature that was made with an empty key is refused, even if a secret decodes to no bytes', () => {
  const polar = vectors[3]!;
  expect(accepts(polar, { headers: { 'webhook-id': 'another' } })).toBe(false);
  const empty = createHmac('sha256', '').update(`id.${SIGNED_AT}.${BODY}`).digest('base64');
  for (const secret of ['whsec_', 'whsec_=', 'whsec_!!!!']) {
    const headers = { 'webhook-id': 'id', 'webhook-timestamp': String(SIGNED_AT), 'webhook-signature': `v1,${empty}` };
    expect(accepts({ ...polar, secret, headers })).toBe(false);
  }
});

test('Gumroad signs nothing', () => {
  expect(adapters.gumroad.signs).toBe(false);
  expect(adapters.gumroad.verify(bytes('sale_id=1'), {}, [], NOW)).toBe(true);
});

/** Messages that the official libraries sign are accepted here, and the libraries accept the same messages. */
describe('alongside the official libraries', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
  const now = Date.now();
  const seconds = Math.floor(now / 1000);

  test('Stripe', () => {
    fc.assert(
      fc.property(text, fc.stringMatching(/^[\w]{1,60}$/), (payload, secret) => {
        const header = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds });
        return adapters.stripe.verify(bytes(payload), { 'stripe-signature': header }, [secret], now);
      }),
    );
  });

  test('Paddle', async () => {
    const paddle = new Paddle('pdl_sdbx_apikey_1', { environment: Environment.sandbox, logLevel: LogLevel.none });
    await fc.assert(
      fc.asyncProperty(text, fc.stringMatching(/^[\w]{1,60}$/), fc.boolean(), async (payload, secret, isRight) => {
        // The library allows a difference of five seconds, and reads the clock itself.
        const time = Math.floor(Date.now() / 1000);
        const header = `ts=${time};h1=${createHmac('sha256', isRight ? secret : `${secret}x`)
          .update(`${time}:${payload}`)
          .digest('hex')}`;
        expect(await paddle.webhooks.isSignatureValid(payload, secret, header)).toBe(isRight);
        expect(adapters.paddle.verify(bytes(payload), { 'paddle-signature': header }, [secret], Date.now())).toBe(isRight);
      }),
      { numRuns: 30 },
    );
  });

  test('Polar, which signs like Standard Webhooks', () => {
    const body = JSON.stringify({ type: 'order.paid', data: { name: 'Büyer' } });
    const id = '7f6b2f3e-0000-4000-8000-000000000001';
    const headersOf = (signature: string): Record<string, string> => ({
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signature,
    });
    const legacy = 'whsec_AuroraLegacyToken';
    // Polar's older secrets are not encoded bytes: the text itself is the key.
    for (const [secret, webhook] of [
      [POLAR_SECRET, new Webhook(POLAR_SECRET)],
      [legacy, new Webhook(Buffer.from(legacy).toString('base64'))],
    ] as const) {
      const headers = headersOf(webhook.sign(id, new Date(now), body));
      expect(adapters.polar.verify(bytes(body), headers, [secret], now)).toBe(true);
      expect(webhook.verify(body, headers)).toMatchObject({ type: 'order.paid' });
      expect(adapters.polar.verify(bytes(`${body} `), headers, [secret], now)).toBe(false);
      expect(() => webhook.verify(`${body} `, headers)).toThrow();
    }
  });
});
