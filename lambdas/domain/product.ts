import type { ProductView } from '../contract/resources';
import { API_KEY_BYTES, apiKeyOf, hashSecret, WEBHOOK_SECRET_BYTES, webhookSecretOf } from './credentials';
import { NONCE_BYTES, open, seal } from './seal';
import { publicKeyPem, SEED_BYTES } from './signing-key';
import { timestampOf } from './time';

/** A product as it is recorded. Its secrets are sealed, each bound to the product and to its field. */
export interface Product {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly public_key: string;
  /** SHA-256 of the API key, base64url: what a client's credential is compared with. */
  readonly api_key_hash: string;
  readonly sealed: Readonly<Record<ProductSecret, string>>;
  /** Empty where no webhook is set. */
  readonly webhook_url: string;
  readonly created_at: number;
}

export type ProductSecret = 'api_key' | 'seed' | 'webhook_secret';

const additionalData = (productId: number, secret: ProductSecret): string => `product/${productId}/${secret}`;

/** Opens one of a product's secrets. */
export const openSecret = (sealingKey: Uint8Array, product: Pick<Product, 'id' | 'sealed'>, secret: ProductSecret): Buffer =>
  open(sealingKey, product.sealed[secret], additionalData(product.id, secret));

/** A new product with its key pair, API key and webhook secret, all drawn from `random`. */
export function newProduct(
  { id, name, slug }: Pick<Product, 'id' | 'name' | 'slug'>,
  sealingKey: Uint8Array,
  random: (bytes: number) => Uint8Array,
  now: number,
): Product {
  const seed = random(SEED_BYTES);
  const apiKey = apiKeyOf(random(API_KEY_BYTES));
  const sealFor = (secret: ProductSecret, plain: Uint8Array | string): string =>
    seal(sealingKey, plain, additionalData(id, secret), random(NONCE_BYTES));
  return {
    id,
    name,
    slug,
    public_key: publicKeyPem(seed),
    api_key_hash: hashSecret(apiKey).toString('base64url'),
    sealed: {
      api_key: sealFor('api_key', apiKey),
      seed: sealFor('seed', seed),
      webhook_secret: sealFor('webhook_secret', webhookSecretOf(random(WEBHOOK_SECRET_BYTES))),
    },
    webhook_url: '',
    created_at: now,
  };
}

export const productView = (product: Product, sealingKey: Uint8Array): ProductView => ({
  id: product.id,
  name: product.name,
  slug: product.slug,
  api_key: openSecret(sealingKey, product, 'api_key').toString(),
  public_key: product.public_key,
  created_at: timestampOf(product.created_at),
});

/** A product's webhook settings, for the operator only. */
export const webhookView = (product: Product, sealingKey: Uint8Array): { url: string; secret: string } => ({
  url: product.webhook_url,
  secret: openSecret(sealingKey, product, 'webhook_secret').toString(),
});
