import { createHmac } from 'node:crypto';
import { deliveryHeaders, standardSignature, svcSignature } from '../../../lambdas/domain/webhook-signature';

/** Receivers verify events with these signatures, often with a library, so the method of signing must never change. */

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test("the Standard Webhooks signature equals that of the libraries' test example", () => {
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  const sign = (secret: string): string => standardSignature(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}');
  expect(sign(SECRET)).toBe(signature);
  // Standard Webhooks libraries also accept the secret without its prefix.
  expect(sign(SECRET.slice('whsec_'.length))).toBe(signature);
  expect(sign(`${SECRET}whsec_`)).not.toBe(signature);
});

test('the plain signature is the HMAC of the body with the displayed secret, including its prefix', () => {
  const body = '{"name":"Zoë 🔑"}';
  expect(svcSignature(SECRET, body)).toBe(createHmac('sha256', Buffer.from(SECRET)).update(Buffer.from(body)).digest('hex'));
});

test('the headers of a delivery name event and product, and the time in whole seconds', () => {
  const [id, body] = ['0'.repeat(32), '{}'];
  expect(deliveryHeaders({ id, event: 'license.created', body }, [SECRET], 1_700_000_000_999)).toEqual({
    'Content-Type': 'application/json',
    'X-Svc-Event': 'license.created',
    'X-Svc-Signature': svcSignature(SECRET, body),
    'webhook-id': id,
    'webhook-timestamp': '1700000000',
    'webhook-signature': standardSignature(SECRET, id, 1_700_000_000, body),
  });
});

test('while a secret is rotated both sign, the new one first: a receiver with either accepts', () => {
  const [id, body] = ['0'.repeat(32), '{}'];
  const before = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const headers = deliveryHeaders({ id, event: 'license.created', body }, [SECRET, before], 1_700_000_000_999);
  expect(headers['X-Svc-Signature']).toBe(svcSignature(SECRET, body));
  expect(headers['webhook-signature']?.split(' ')).toEqual(
    [SECRET, before].map((secret) => standardSignature(secret, id, 1_700_000_000, body)),
  );
});
