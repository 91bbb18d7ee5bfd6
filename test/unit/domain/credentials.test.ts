import fc from 'fast-check';
import { createHash } from 'node:crypto';
import {
  ADMIN_TOKEN_BYTES,
  adminTokenOf,
  API_KEY_BYTES,
  apiKeyOf,
  hashSecret,
  isAdminToken,
  matchesHash,
  WEBHOOK_SECRET_BYTES,
  webhookSecretOf,
} from '../../../lambdas/domain/credentials';
import { anyCharacter } from '../../support/any-text';

const secret = fc.string({ unit: anyCharacter, maxLength: 300 });

test('the right secret is accepted', () => {
  fc.assert(fc.property(secret, (held) => expect(matchesHash(held, hashSecret(held))).toBe(true)));
});

test('a wrong secret of any length is refused, without an exception', () => {
  const pairs = fc.tuple(secret, secret).filter(([held, presented]) => !Buffer.from(held).equals(Buffer.from(presented)));
  fc.assert(fc.property(pairs, ([held, presented]) => expect(matchesHash(presented, hashSecret(held))).toBe(false)));
});

test.each(['', 'Secret', 'secret ', ' secret', 'secre', 'secrett', 'secret\u0000'])(
  '%p is refused if the secret is "secret"',
  (presented) => {
    expect(matchesHash(presented, hashSecret('secret'))).toBe(false);
  },
);

test('the stored hash is SHA-256, so that the API keys of existing products stay valid', () => {
  expect(hashSecret('pk_x')).toEqual(createHash('sha256').update('pk_x').digest());
});

test('an API key contains all of its random bytes after a prefix that secret scanners know, and can be sent in a header', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: API_KEY_BYTES, maxLength: API_KEY_BYTES }), (random) => {
      const key = apiKeyOf(random);
      expect(key).toMatch(/^pk_[A-Za-z0-9_-]{32}$/);
      expect(Buffer.from(key.slice('pk_'.length), 'base64url')).toEqual(Buffer.from(random));
    }),
  );
  expect(API_KEY_BYTES).toBeGreaterThanOrEqual(16);
});

test('a webhook secret contains all of its random bytes in the format of Standard Webhooks libraries', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: WEBHOOK_SECRET_BYTES, maxLength: WEBHOOK_SECRET_BYTES }), (random) => {
      const made = webhookSecretOf(random);
      expect(made).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(made.slice('whsec_'.length), 'base64')).toEqual(Buffer.from(random));
    }),
  );
  // Standard Webhooks requires 24 to 64 bytes.
  expect(WEBHOOK_SECRET_BYTES).toBeGreaterThanOrEqual(24);
  expect(WEBHOOK_SECRET_BYTES).toBeLessThanOrEqual(64);
});

const adminToken = fc.uint8Array({ minLength: ADMIN_TOKEN_BYTES, maxLength: ADMIN_TOKEN_BYTES }).map(adminTokenOf);

test('an admin token consists of a prefix that secret scanners know, all of its random bytes, and a checksum', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: ADMIN_TOKEN_BYTES, maxLength: ADMIN_TOKEN_BYTES }), (random) => {
      const token = adminTokenOf(random);
      expect(token).toMatch(/^svc_[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}$/);
      expect(Buffer.from(token.slice(4, 47), 'base64url')).toEqual(Buffer.from(random));
      expect(isAdminToken(token)).toBe(true);
    }),
  );
  expect(ADMIN_TOKEN_BYTES).toBe(32);
});

test('a mistyped admin token is recognized without a read of the table', () => {
  const place = fc.integer({ min: 0, max: 52 });
  const character = fc.constantFrom(...'ABCXYZabcxyz0189_-');
  fc.assert(
    fc.property(adminToken, place, character, (token, at, other) => {
      const mistyped = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
      expect(isAdminToken(mistyped)).toBe(mistyped === token);
      expect(isAdminToken(token.slice(0, at))).toBe(false);
      expect(isAdminToken(`${token}${other}`)).toBe(false);
    }),
  );
  fc.assert(fc.property(secret, (text) => expect(isAdminToken(text)).toBe(false)));
});
