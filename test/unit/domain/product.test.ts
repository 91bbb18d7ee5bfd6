import { createHash, randomBytes } from 'node:crypto';
import nacl from 'tweetnacl';
import { matchesHash } from '../../../lambdas/domain/credentials';
import { currentKey, newProduct, productView, secretPlace, type ProductSecret } from '../../../lambdas/domain/product';
import { KeyRing, NONCE_BYTES, type Purpose } from '../../../lambdas/domain/seal';
import { publicJwk, seedPlace } from '../../../lambdas/domain/signing-key';
import { NOW } from './fixtures';

const ring = new KeyRing('the secret of this deployment');
const seal = (purpose: Purpose, plain: Uint8Array | string, boundTo: string): string =>
  ring.seal(purpose, plain, boundTo, randomBytes(NONCE_BYTES));
const names = { id: 3, name: 'Photo Studio', slug: 'photo-studio' };
const made = newProduct(names, seal, randomBytes, NOW);
const { product, seeds, apiKey } = made;
const { kid, public_key } = currentKey(product);
const secrets: ProductSecret[] = ['api_key', 'webhook_secret'];
const opened = (secret: ProductSecret, { sealed } = product, id = 3): Buffer => ring.open(secret, sealed[secret], secretPlace(id, secret));
const seed = ring.open('signing_seed', seeds[kid] ?? '', seedPlace(3, kid));

test('the operator sees exactly the specified fields, with an API key that clients can use', () => {
  const view = productView(product, apiKey);
  expect(view).toEqual({
    ...names,
    api_key: expect.stringMatching(/^pk_[A-Za-z0-9_-]{32}$/) as unknown,
    public_key,
    list_devices: false,
    trials_per_hour: 500,
    created_at: '2026-11-20T13:52:00.123Z',
  });
  expect(opened('api_key').toString()).toBe(apiKey);
  expect(matchesHash(apiKey, Buffer.from(product.api_key_hash, 'base64url'))).toBe(true);
  expect(product.api_key_hash).toBe(createHash('sha256').update(apiKey).digest('base64url'));
});

test('the public key is that of the signing seed: clients can verify what the service signs', () => {
  const { publicKey } = nacl.sign.keyPair.fromSeed(seed);
  expect(publicJwk(public_key)).toMatchObject({ x: Buffer.from(publicKey).toString('base64url'), kid });
});

test('a new product has no webhook URL, but already has a webhook secret', () => {
  expect(product.webhook_url).toBe('');
  expect(opened('webhook_secret').toString()).toMatch(/^whsec_/);
});

test('a leaked table contains no unencrypted secret of a product', () => {
  const stored = JSON.stringify([product, seeds]);
  for (const secret of [seed, ...secrets.map((name) => opened(name))]) {
    for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) expect(stored).not.toContain(secret.toString(encoding));
  }
});

test('a product row contains nothing of its signing seeds: a function that may read it cannot sign', () => {
  expect(JSON.stringify(product)).not.toContain(seeds[kid]);
});

test("an encrypted secret that is copied to another product, field or key can't be decrypted there", () => {
  for (const secret of secrets) expect(() => opened(secret, product, 4)).toThrow();
  expect(() => ring.open('webhook_secret', product.sealed.api_key, secretPlace(3, 'webhook_secret'))).toThrow();
  expect(() => ring.open('signing_seed', seeds[kid] ?? '', seedPlace(4, kid))).toThrow();
  expect(() => ring.open('signing_seed', seeds[kid] ?? '', seedPlace(3, 'another'))).toThrow();
});

test('no two products share a key, a secret or a nonce', () => {
  const other = newProduct(names, seal, randomBytes, NOW);
  expect(currentKey(other.product).public_key).not.toBe(public_key);
  expect(other.apiKey).not.toBe(apiKey);
  expect(opened('webhook_secret', other.product)).not.toEqual(opened('webhook_secret'));
  const values = [made, other].flatMap((one) => [...Object.values(one.product.sealed), ...Object.values(one.seeds)]);
  expect(new Set(values.map((value) => value.split('.')[2]?.slice(0, 16))).size).toBe(6);
});
