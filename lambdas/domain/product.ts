import type { EventName } from '../contract/events';
import type { ProductView } from '../contract/resources';
import { API_KEY_BYTES, apiKeyOf, hashSecret, WEBHOOK_SECRET_BYTES, webhookSecretOf } from './credentials';
import { kidOf, publicKeyPem, SEED_BYTES, seedPlace, type SigningKey, type SigningSeeds } from './signing-key';
import { timestampOf } from './time';

/** A product as it is recorded. Its secrets are sealed, each bound to the product and to its field. */
export interface Product {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** The public parts of its signing keys, one of them current. Their seeds are in a row of their own. */
  readonly signing_keys: readonly SigningKey[];
  /** SHA-256 of the API key, base64url: what a client's credential is compared with. */
  readonly api_key_hash: string;
  readonly sealed: {
    readonly api_key: string;
    readonly webhook_secret: string;
    /** The seed of the first signing key, in a row of the first release only. */
    readonly seed?: string;
  };
  /** Empty if no webhook is set. */
  readonly webhook_url: string;
  /** The events that the webhook is sent; null: all. */
  readonly webhook_events: readonly EventName[] | null;
  readonly created_at: number;
}

export type ProductSecret = 'api_key' | 'webhook_secret';

/** The place that a secret of a product is bound to when it is sealed. */
export const secretPlace = (productId: number, secret: ProductSecret): string => `product/${productId}/${secret}`;

/** The key that signs. */
export function currentKey({ id, signing_keys }: Pick<Product, 'id' | 'signing_keys'>): SigningKey {
  const current = signing_keys.find(({ status }) => status === 'current');
  if (!current) throw new Error(`Product ${id} has no current signing key`);
  return current;
}

/** A new product with its key pair, API key and webhook secret, all drawn from `random`. */
export function newProduct(
  { id, name, slug }: Pick<Product, 'id' | 'name' | 'slug'>,
  seal: (purpose: ProductSecret | 'signing_seed', plain: Uint8Array | string, boundTo: string) => string,
  random: (bytes: number) => Uint8Array,
  now: number,
): { product: Product; seeds: SigningSeeds; apiKey: string } {
  const seed = random(SEED_BYTES);
  const public_key = publicKeyPem(seed);
  const kid = kidOf(public_key);
  const apiKey = apiKeyOf(random(API_KEY_BYTES));
  const sealFor = (secret: ProductSecret, plain: string): string => seal(secret, plain, secretPlace(id, secret));
  return {
    product: {
      id,
      name,
      slug,
      signing_keys: [{ kid, public_key, status: 'current', created_at: now }],
      api_key_hash: hashSecret(apiKey).toString('base64url'),
      sealed: { api_key: sealFor('api_key', apiKey), webhook_secret: sealFor('webhook_secret', webhookSecretOf(random(WEBHOOK_SECRET_BYTES))) },
      webhook_url: '',
    webhook_events: null,
      created_at: now,
    },
    seeds: { [kid]: seal('signing_seed', seed, seedPlace(id, kid)) },
    apiKey,
  };
}

export const productView = (product: Product, apiKey: string): ProductView => ({
  id: product.id,
  name: product.name,
  slug: product.slug,
  api_key: apiKey,
  public_key: currentKey(product).public_key,
  created_at: timestampOf(product.created_at),
});

/** True when an event is posted to the product's webhook. A test event passes every filter. */
export const isPosted = ({ webhook_url, webhook_events }: Pick<Product, 'webhook_url' | 'webhook_events'>, event: EventName): boolean =>
  webhook_url !== '' && (webhook_events === null || event === 'webhook.test' || webhook_events.includes(event));
