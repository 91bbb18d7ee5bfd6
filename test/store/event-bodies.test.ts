import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { packBody, unpackBody } from '../../lambdas/store/events/compression';
import { anyCharacter } from '../support/any-text';

/**
 * If these tests fail, a receiver gets bytes that differ from the signed bytes, or the service can't read an event that is already stored.
 */

test('any body comes back byte for byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => expect(unpackBody(packBody(text))).toBe(Buffer.from(text).toString())),
  );
});

test('a body that was stored without the dictionary is read, no matter how long', () => {
  for (const length of [0, 1, 1000, 100_000]) {
    const body = JSON.stringify({ id: 'f'.repeat(32), data: Array.from({ length }, (_, place) => `${place * 7919}`) });
    expect(unpackBody(deflateRawSync(body))).toBe(body);
  }
});

test('the compression dictionary never changes, because stored bodies could not be read without it', () => {
  // After the header, the stream contains the Adler-32 checksum of the dictionary.
  expect(Buffer.from(packBody('{}')).readUInt32BE(2).toString(16)).toBe('b5e20d0a');
});

test('damaged bytes are an error, not another text', () => {
  const packed = Buffer.from(packBody('{"id":"1","event":"license.activated"}'));
  packed[packed.length - 1]! ^= 1;
  expect(() => unpackBody(packed)).toThrow();
});
