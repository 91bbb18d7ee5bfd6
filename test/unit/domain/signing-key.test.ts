import fc from 'fast-check';
import { createPublicKey, sign } from 'node:crypto';
import { calculateJwkThumbprint, importJWK, importSPKI } from 'jose';
import nacl from 'tweetnacl';
import { privateKeyOf, publicJwk, publicKeyPem, SEED_BYTES } from '../../../lambdas/domain/signing-key';

const seed = fc.uint8Array({ minLength: SEED_BYTES, maxLength: SEED_BYTES });
/** The public key as another implementation of Ed25519 derives it. */
const publicKey = (from: Uint8Array): Buffer => Buffer.from(nacl.sign.keyPair.fromSeed(from).publicKey);

test('the seed in the first example of RFC 8032 gives the public key in the RFC', () => {
  const rfc = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
  expect(Buffer.from(publicJwk(publicKeyPem(rfc)).x, 'base64url').toString('hex')).toBe(
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  );
});

test('a client with another library gets the same public key and accepts the signature', () => {
  fc.assert(
    fc.property(seed, fc.uint8Array(), (secret, message) => {
      expect(Buffer.from(publicJwk(publicKeyPem(secret)).x, 'base64url')).toEqual(publicKey(secret));
      expect(nacl.sign.detached.verify(message, sign(null, message, privateKeyOf(secret)), publicKey(secret))).toBe(true);
    }),
    { numRuns: 4 },
  );
});

test('the public key is a SubjectPublicKeyInfo PEM and nothing private', async () => {
  const pem = publicKeyPem(new Uint8Array(SEED_BYTES).fill(9));
  expect(pem).toMatch(/^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/=]{60}\n-----END PUBLIC KEY-----\n$/);
  expect(createPublicKey(pem).asymmetricKeyType).toBe('ed25519');
  await importSPKI(pem, 'EdDSA');
});

test('the JWK is the same key, named by its RFC 7638 thumbprint, so that JOSE clients find it', async () => {
  await fc.assert(
    fc.asyncProperty(seed, async (secret) => {
      const jwk = publicJwk(publicKeyPem(secret));
      expect(jwk).toEqual({
        kty: 'OKP',
        crv: 'Ed25519',
        x: publicKey(secret).toString('base64url'),
        kid: await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x: publicKey(secret).toString('base64url') }),
        use: 'sig',
        alg: 'EdDSA',
      });
      await importJWK(jwk, 'EdDSA');
    }),
    { numRuns: 4 },
  );
});

test('the thumbprint of the key in RFC 8037 is the one in the RFC', () => {
  const x = Buffer.from('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'base64url');
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), x]);
  const pem = createPublicKey({ key: der, format: 'der', type: 'spki' }).export({ format: 'pem', type: 'spki' }).toString();
  expect(publicJwk(pem).kid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
});

test('a shortened seed is refused, not used as a weak key', () => {
  for (const length of [0, 31]) expect(() => privateKeyOf(new Uint8Array(length))).toThrow();
});
