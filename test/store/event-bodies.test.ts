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

test('the compression dictionary never changes, because stored bodies could not be read without it', () => {
  // After the header, the stream contains the Adler-32 checksum of the dictionary.
  expect(Buffer.from(packBody('{}')).readUInt32BE(2).toString(16)).toBe('b5e20d0a');
});

test('damaged bytes are an error, not another text', () => {
  const packed = Buffer.from(packBody('{"id":"1","event":"license.activated"}'));
  packed[packed.length - 1]! ^= 1;
  expect(() => unpackBody(packed)).toThrow();
});
