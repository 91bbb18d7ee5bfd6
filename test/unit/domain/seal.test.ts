import fc from 'fast-check';
import { NONCE_BYTES, open, seal, sealingKey } from '../../../lambdas/domain/seal';

const key = sealingKey('the secret of this deployment');
const nonceOf = (fill: number): Uint8Array => new Uint8Array(NONCE_BYTES).fill(fill);
const place = 'product/1/seed';
const bytesOf = (sealed: string): Buffer => Buffer.from(sealed, 'base64url');

const plain = fc.uint8Array({ maxLength: 200 });
const nonce = fc.uint8Array({ minLength: NONCE_BYTES, maxLength: NONCE_BYTES });

test('what was sealed can be read again, bytes and text alike: no product loses its keys', () => {
  fc.assert(
    fc.property(plain, nonce, fc.string({ unit: 'binary' }), (value, random, boundTo) => {
      expect(open(key, seal(key, value, boundTo, random), boundTo)).toEqual(Buffer.from(value));
    }),
  );
  expect(open(key, seal(key, 'pk_ünïcode', place, nonceOf(1)), place).toString()).toBe('pk_ünïcode');
});

test('a value sealed by an earlier release can still be opened', () => {
  const sealed = 'AQEBAQEBAQEBAQEBOAAmLij-JNnDTvGsRCA0fHJwtbK3';
  expect(seal(key, 'hello', place, nonceOf(1))).toBe(sealed);
  expect(open(key, sealed, place).toString()).toBe('hello');
});

describe('a stolen or altered table gives nothing away', () => {
  const sealed = seal(key, 'a signing seed', place, nonceOf(1));

  test("without the deployment's secret nothing opens", () => {
    expect(() => open(sealingKey('another secret'), sealed, place)).toThrow();
  });

  test.each(['product/2/seed', 'product/1/webhook_secret', 'product/1/see', ''])('copied to %p it does not open', (elsewhere) => {
    expect(() => open(key, sealed, elsewhere)).toThrow();
  });

  test('altered in any single bit it does not open', () => {
    for (let bit = 0; bit < 8 * bytesOf(sealed).length; bit += 1) {
      const altered = bytesOf(sealed);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => open(key, altered.toString('base64url'), place)).toThrow();
    }
  });

  test('cut short or made longer it does not open, however little it held', () => {
    for (const value of ['a signing seed', '']) {
      const whole = bytesOf(seal(key, value, place, nonceOf(1)));
      for (let length = 0; length < whole.length; length += 1) {
        expect(() => open(key, whole.subarray(0, length).toString('base64url'), place)).toThrow();
      }
      expect(() => open(key, Buffer.concat([whole, Buffer.of(0)]).toString('base64url'), place)).toThrow();
    }
  });

  test('garbage does not open', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (garbage) => expect(() => open(key, garbage, place)).toThrow()));
  });

  test('the value is not readable in what is stored', () => {
    expect(bytesOf(sealed).includes('a signing seed')).toBe(false);
  });
});

test('the nonce is used: the same value sealed twice does not look the same', () => {
  const [first, second] = [seal(key, 'same', place, nonceOf(1)), seal(key, 'same', place, nonceOf(2))].map(bytesOf);
  expect(first!.subarray(0, NONCE_BYTES)).toEqual(Buffer.from(nonceOf(1)));
  expect(second!.subarray(0, NONCE_BYTES)).toEqual(Buffer.from(nonceOf(2)));
  expect(first!.subarray(NONCE_BYTES)).not.toEqual(second!.subarray(NONCE_BYTES));
});

test('the key is 256 bits of the whole secret', () => {
  expect(key).toHaveLength(32);
  expect(sealingKey('the secret of this deploymenT')).not.toEqual(key);
});
