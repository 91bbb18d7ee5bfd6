import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { KeyRing, NONCE_BYTES, purposes, UnknownSealingKey, type Purpose } from '../../../lambdas/domain/seal';
import { anyCharacter } from '../../support/any-text';

const ring = new KeyRing('the secret of this deployment');
const nonceOf = (fill: number): Uint8Array => new Uint8Array(NONCE_BYTES).fill(fill);
const place = 'product/1/api_key';
const seal = (value: Uint8Array | string, on = place, nonce = nonceOf(1)): string => ring.seal('api_key', value, on, nonce);
const open = (sealed: string, on = place): Buffer => ring.open('api_key', sealed, on);
const valueOf = (sealed: string): string => sealed.split('.').at(-1) ?? '';
const bytesOf = (sealed: string): Buffer => Buffer.from(valueOf(sealed), 'base64url');
const withValue = (sealed: string, value: Uint8Array): string => sealed.replace(valueOf(sealed), Buffer.from(value).toString('base64url'));

const plain = fc.uint8Array({ maxLength: 200 });
const nonce = fc.uint8Array({ minLength: NONCE_BYTES, maxLength: NONCE_BYTES });

test('encrypted bytes and texts can be decrypted again, so no product loses its keys', () => {
  fc.assert(
    fc.property(plain, nonce, fc.string({ unit: anyCharacter }), (value, random, boundTo) => {
      expect(open(seal(value, boundTo, random), boundTo)).toEqual(Buffer.from(value));
    }),
  );
  expect(open(seal('pk_ünïcode')).toString()).toBe('pk_ünïcode');
});

test('an encrypted value names its format and its key, which reveals nothing about the secret', () => {
  expect(seal('x')).toMatch(/^v1\.[\w-]{8}\.[\w-]+$/);
  expect(seal('x').split('.')[1]).not.toBe(createHash('sha256').update('the secret of this deployment').digest('base64url').slice(0, 8));
});

test("a value in today's format can be decrypted by every later release", () => {
  expect(seal('hello')).toBe('v1.fP-xK3D_.AQEBAQEBAQEBAQEBiL3_VfO8TnMz2Eue3a9vTyohhoFW');
  expect(open('v1.fP-xK3D_.AQEBAQEBAQEBAQEBiL3_VfO8TnMz2Eue3a9vTyohhoFW').toString()).toBe('hello');
});

describe('a ring with several keys', () => {
  const before = new KeyRing('old');
  const rotated = new KeyRing(' new\n\nold ');

  test('encrypts with the newest key and decrypts with all: nothing is lost in a rotation', () => {
    const old = before.seal('api_key', 'value', place, nonceOf(1));
    const sealed = rotated.seal('api_key', 'value', place, nonceOf(1));
    for (const each of [old, sealed]) expect(rotated.open('api_key', each, place).toString()).toBe('value');
    expect(new KeyRing('new').open('api_key', sealed, place).toString()).toBe('value');
    expect(() => before.open('api_key', sealed, place)).toThrow(UnknownSealingKey);
  });

  test('reports values of an older key, so that they can be encrypted again', () => {
    expect(rotated.isNewest(rotated.seal('api_key', 'value', place, nonceOf(1)))).toBe(true);
    expect(rotated.isNewest(before.seal('api_key', 'value', place, nonceOf(1)))).toBe(false);
  });

  test('a value of an unknown key is reported as such', () => {
    const sealed = before.seal('api_key', 'value', place, nonceOf(1));
    expect(() => new KeyRing('new').open('api_key', sealed, place)).toThrow(UnknownSealingKey);
  });

  test.each(['', ' ', '\n'])('without a key there is no ring: %j', (secret) => expect(() => new KeyRing(secret)).toThrow('no key'));
});

describe('a stolen or modified table reveals nothing', () => {
  const sealed = seal('a signing seed');

  test("without the deployment's secret nothing can be decrypted", () => {
    expect(() => new KeyRing('another secret').open('api_key', sealed, place)).toThrow();
    expect(() => new KeyRing('the secret of this deploymenT').open('api_key', sealed, place)).toThrow();
  });

  test.each(['product/2/api_key', 'product/1/webhook_secret', 'product/1/api_ke', ''])(
    'copied to %p it cannot be decrypted',
    (elsewhere) => {
      expect(() => open(sealed, elsewhere)).toThrow();
    },
  );

  test('a value for one purpose cannot be decrypted for another, even in the same place', () => {
    const all = Object.keys(purposes) as Purpose[];
    for (const purpose of all) {
      const value = ring.seal(purpose, 'value', place, nonceOf(1));
      for (const other of all) {
        if (other === purpose) expect(ring.open(other, value, place).toString()).toBe('value');
        else expect(() => ring.open(other, value, place)).toThrow();
      }
    }
  });

  test('with any single bit changed it cannot be decrypted', () => {
    for (let bit = 0; bit < 8 * bytesOf(sealed).length; bit += 1) {
      const altered = bytesOf(sealed);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => open(withValue(sealed, altered))).toThrow();
    }
  });

  test('shortened or lengthened it cannot be decrypted, however small it was', () => {
    for (const value of ['a signing seed', '']) {
      const full = seal(value);
      const whole = bytesOf(full);
      for (let length = 0; length < whole.length; length += 1) expect(() => open(withValue(full, whole.subarray(0, length)))).toThrow();
      expect(() => open(withValue(full, Buffer.concat([whole, Buffer.of(0)])))).toThrow();
    }
  });

  test('an invalid value cannot be decrypted', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 120 }), (garbage) => expect(() => open(garbage)).toThrow()));
    for (const other of [sealed.replace('v1.', 'v2.'), `${sealed}.`, sealed.replace('v1.', ''), '..', 'v1..'])
      expect(() => open(other)).toThrow();
  });

  test('the stored bytes do not contain the readable value', () => {
    expect(bytesOf(sealed).includes('a signing seed')).toBe(false);
  });
});

test('each encryption uses a new nonce: the same value encrypted twice gives different bytes', () => {
  const [first, second] = [seal('same', place, nonceOf(1)), seal('same', place, nonceOf(2))].map(bytesOf);
  expect(first!.subarray(0, NONCE_BYTES)).toEqual(Buffer.from(nonceOf(1)));
  expect(second!.subarray(0, NONCE_BYTES)).toEqual(Buffer.from(nonceOf(2)));
  expect(first!.subarray(NONCE_BYTES)).not.toEqual(second!.subarray(NONCE_BYTES));
});
