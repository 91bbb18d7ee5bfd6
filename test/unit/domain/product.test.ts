import { createHash, randomBytes } from 'node:crypto';
import nacl from 'tweetnacl';
import { matchesHash } from '../../../lambdas/domain/credentials';
import { newProduct, openSecret, productView, type ProductSecret } from '../../../lambdas/domain/product';
import { sealingKey } from '../../../lambdas/domain/seal';
import { publicJwk } from '../../../lambdas/domain/signing-key';
import { NOW } from './fixtures';

const key = sealingKey('the secret of this deployment');
const names = { id: 3, name: 'Photo Studio', slug: 'photo-studio' };
const product = newProduct(names, key, randomBytes, NOW);
const secrets: ProductSecret[] = ['api_key', 'seed', 'webhook_secret'];
const opened = (secret: ProductSecret): Buffer => openSecret(key, product, secret);

test('the operator sees exactly the specified fields, with an API key that clients can use', () => {
  const view = productView(product, key);
  expect(view).toEqual({
    ...names,
    api_key: expect.stringMatching(/^pk_[A-Za-z0-9_-]{32}$/) as unknown,
    public_key: product.public_key,
    created_at: '2026-11-20T13:52:00.123Z',
  });
  expect(matchesHash(view.api_key, Buffer.from(product.api_key_hash, 'base64url'))).toBe(true);
  expect(product.api_key_hash).toBe(createHash('sha256').update(view.api_key).digest('base64url'));
});

test('the public key is that of the signing seed: clients can verify what the service signs', () => {
  const { publicKey } = nacl.sign.keyPair.fromSeed(opened('seed'));
  expect(publicJwk(product.public_key).x).toBe(Buffer.from(publicKey).toString('base64url'));
});

test('no webhook is set and its secret is ready', () => {
  expect(product.webhook_url).toBe('');
  expect(opened('webhook_secret').toString()).toMatch(/^whsec_/);
});

test('a leaked table holds no secret of a product in the clear', () => {
  const stored = JSON.stringify(product);
  for (const secret of secrets) {
    for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) expect(stored).not.toContain(opened(secret).toString(encoding));
  }
});

test('a secret moved to another product or another field cannot be used there', () => {
  for (const secret of secrets) {
    expect(() => openSecret(key, { ...product, id: 4 }, secret)).toThrow();
    for (const other of secrets) {
      if (other === secret) continue;
      expect(() => openSecret(key, { ...product, sealed: { ...product.sealed, [other]: product.sealed[secret] } }, other)).toThrow();
    }
  }
});

test('no two products share a key, a secret or a nonce', () => {
  const other = newProduct(names, key, randomBytes, NOW);
  expect(other.public_key).not.toBe(product.public_key);
  for (const secret of secrets) expect(openSecret(key, other, secret)).not.toEqual(opened(secret));
  const nonces = [product, other].flatMap(({ sealed }) => Object.values(sealed)).map((sealed) => sealed.slice(0, 16));
  expect(new Set(nonces).size).toBe(6);
});
