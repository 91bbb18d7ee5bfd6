import * as z from 'zod/mini';
import { fail, type Failure } from '../contract/errors';
import { eventNames, type LoggedEvent } from '../contract/events';
import type { ProductView } from '../contract/resources';
import { TRIALS_PER_HOUR } from '../contract/limits';
import { downloadAccess } from '../contract/download-access';
import { API_KEY_BYTES, apiKeyOf, hashSecret, matchesHash, WEBHOOK_SECRET_BYTES, webhookSecretOf } from './credentials';
import type { OpenSigningKey } from './key-file';
import { mailSettingsSchema } from './stored-mail-settings';
import type { Purpose } from './seal';
import {
  kidOf,
  publicKeyPem,
  SEED_BYTES,
  seedPlace,
  signingKeySchema,
  signingKeyStatuses,
  type SigningKey,
  type SigningKeyStatus,
  type SigningSeeds,
} from './signing-key';
import { HOUR_MS, timestampOf } from './time';
import { flag, known, number, orNull, string, type Stored } from './stored';

/** A stored product. Its secrets are encrypted, and each secret is bound to the product and to its field. */
export const productSchema = z.object({
  id: number,
  name: string,
  slug: string,
  /**
   * The public parts of the product's signing keys. Exactly one key has the status `current`. The seeds of the keys are in a separate row.
   */
  signing_keys: z.array(signingKeySchema),
  /** The hash (SHA-256, base64url) with which a client's API key is compared. */
  api_key_hash: string,
  /** The previous API key, which remains valid until `until` (epoch ms). `hint` is its end; null if it is not known. */
  previous_api_key: orNull(z.object({ hash: string, until: number, hint: orNull(string) })),
  sealed: z.object({ api_key: string, webhook_secret: string }),
  /** The previous webhook secret. Until `until` (epoch ms), deliveries are signed with this secret as well. */
  previous_webhook_secret: orNull(z.object({ sealed: string, until: number })),
  /** The URL of the product's webhook; empty if the product has no webhook. */
  webhook_url: string,
  /** The events that are posted to the webhook; null: all events. */
  webhook_events: orNull(known(eventNames)),
  /** The settings of mails to buyers. */
  mail: z._default(mailSettingsSchema, {}),
  /** Determines who may download the files of the product's releases. */
  downloads: z._default(z.enum(downloadAccess), 'licensed'),
  /** Whether apps may list the devices of a license. The names of devices are personal data. */
  list_devices: flag,
  /** The maximum number of trials that apps may start within an hour. */
  trials_per_hour: z._default(number, TRIALS_PER_HOUR.default),
  created_at: number,
});
export interface Product extends Stored<typeof productSchema> {}

export type ProductSecret = 'api_key' | 'webhook_secret';

/** The place to which a secret of a product is bound when the secret is encrypted (see `seal.ts`). */
export const secretPlace = (productId: number, secret: ProductSecret): string => `product/${productId}/${secret}`;

/** The key with which a product's tokens are currently signed. */
export function currentKey({ id, signing_keys }: Pick<Product, 'id' | 'signing_keys'>): SigningKey {
  const current = signing_keys.find(({ status }) => status === 'current');
  if (!current) throw new Error(`Product ${id} has no current signing key`);
  return current;
}

/** A new product with a key pair, an API key and a webhook secret. All random values come from `random`. */
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
      previous_api_key: null,
      sealed: {
        api_key: sealFor('api_key', apiKey),
        webhook_secret: sealFor('webhook_secret', webhookSecretOf(random(WEBHOOK_SECRET_BYTES))),
      },
      previous_webhook_secret: null,
      webhook_url: '',
      webhook_events: null,
      mail: {},
      list_devices: false,
      trials_per_hour: TRIALS_PER_HOUR.default,
      downloads: 'licensed',
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
  list_devices: product.list_devices,
  trials_per_hour: product.trials_per_hour,
  created_at: timestampOf(product.created_at),
});

/** Whether an event is posted to the product's webhook. The event of a webhook test passes every filter. */
export const isPosted = ({ webhook_url, webhook_events }: Pick<Product, 'webhook_url' | 'webhook_events'>, event: LoggedEvent): boolean =>
  webhook_url !== '' && (webhook_events === null || event === 'webhook.test' || webhook_events.some((name) => name === event));

/**
 * If the product doesn't exist, the API key is compared with this hash. The refusal then takes the same time as for a wrong key of an
 * existing product.
 */
const NO_KEY_HASH = Buffer.alloc(32).toString('base64url');

/** Whether the API key is the product's current key, or the previous key during the overlap. */
export function acceptsApiKey(product: Product | undefined, apiKey: string, now: number): product is Product {
  const { api_key_hash = NO_KEY_HASH, previous_api_key: previous } = product ?? {};
  const isCurrent = matchesHash(apiKey, Buffer.from(api_key_hash, 'base64url'));
  const isPrevious =
    matchesHash(apiKey, Buffer.from(previous?.hash ?? NO_KEY_HASH, 'base64url')) && previous != null && now < previous.until;
  return product !== undefined && (isCurrent || isPrevious);
}

/** The previous API key; null if there is none that is still valid. */
export const previousApiKey = ({ previous_api_key: previous }: Product, now: number): Product['previous_api_key'] =>
  previous && now < previous.until ? previous : null;

/** The random values, time and encryption that a rotation needs. */
export interface RotationContext<P extends Purpose> {
  readonly seal: (purpose: P, plain: Uint8Array | string, boundTo: string) => string;
  readonly random: (bytes: number) => Uint8Array;
  /** The current time, in epoch ms. */
  readonly now: number;
}

const endOf = (overlapHours: number, now: number): number | null => (overlapHours === 0 ? null : now + overlapHours * HOUR_MS);

/**
 * Gives a product a new API key. The replaced key remains valid during the overlap. A key that was replaced earlier becomes invalid
 * immediately.
 *
 * @param hint the end of the API key that is replaced; null if it is not known
 */
export function rotateApiKey(
  product: Product,
  hint: string | null,
  overlapHours: number,
  { seal, random, now }: RotationContext<'api_key'>,
): { product: Product; apiKey: string } {
  const apiKey = apiKeyOf(random(API_KEY_BYTES));
  const until = endOf(overlapHours, now);
  const api_key = seal('api_key', apiKey, secretPlace(product.id, 'api_key'));
  return {
    apiKey,
    product: {
      ...product,
      api_key_hash: hashSecret(apiKey).toString('base64url'),
      previous_api_key: until === null ? null : { hash: product.api_key_hash, until, hint },
      sealed: { ...product.sealed, api_key },
    },
  };
}

/** Gives a product a new webhook secret. During the overlap, deliveries are signed with the new secret and with the replaced secret. */
export function rotateWebhookSecret(
  product: Product,
  overlapHours: number,
  { seal, random, now }: RotationContext<'webhook_secret'>,
): { product: Product; secret: string } {
  const secret = webhookSecretOf(random(WEBHOOK_SECRET_BYTES));
  const until = endOf(overlapHours, now);
  return {
    secret,
    product: {
      ...product,
      previous_webhook_secret: until === null ? null : { sealed: product.sealed.webhook_secret, until },
      sealed: { ...product.sealed, webhook_secret: seal('webhook_secret', secret, secretPlace(product.id, 'webhook_secret')) },
    },
  };
}

/** A product's signing keys in the order in which lists show them: the current key, the next key, then the previous keys, newest first. */
export const signingKeysInOrder = ({ signing_keys }: Pick<Product, 'signing_keys'>): SigningKey[] =>
  [...signing_keys].sort(
    (a, b) => signingKeyStatuses.indexOf(a.status) - signingKeyStatuses.indexOf(b.status) || b.created_at - a.created_at,
  );

/** A product's signing keys as responses show them. */
export const signingKeysView = (
  product: Pick<Product, 'signing_keys'>,
): { kid: string; public_key: string; status: SigningKeyStatus; created_at: string }[] =>
  signingKeysInOrder(product).map(({ kid, public_key, status, created_at }) => ({
    kid,
    public_key,
    status,
    created_at: timestampOf(created_at),
  }));

/** Adds a signing key that is published, but does not sign yet. */
export function addSigningKey(
  product: Product,
  seeds: SigningSeeds,
  { seal, random, now }: RotationContext<'signing_seed'>,
): Failure | { product: Product; seeds: SigningSeeds; key: SigningKey } {
  if (product.signing_keys.some(({ status }) => status === 'next')) return fail('next_key_exists');
  const seed = random(SEED_BYTES);
  const public_key = publicKeyPem(seed);
  const key: SigningKey = { kid: kidOf(public_key), public_key, status: 'next', created_at: now };
  return {
    key,
    product: { ...product, signing_keys: [...product.signing_keys, key] },
    seeds: { ...seeds, [key.kid]: seal('signing_seed', seed, seedPlace(product.id, key.kid)) },
  };
}

type SealKey<P extends Purpose> = RotationContext<P>['seal'];

/**
 * Takes over signing keys of another deployment. They keep their statuses. All other keys of the product become `previous`, so that tokens
 * that were signed with them remain valid. Taking over the same keys again changes nothing.
 */
export function adoptSigningKeys(
  product: Product,
  seeds: SigningSeeds,
  keys: readonly OpenSigningKey[],
  seal: SealKey<'signing_seed'>,
): { product: Product; seeds: SigningSeeds } {
  const adopted = keys.map(({ status, created_at, seed }): SigningKey => {
    const public_key = publicKeyPem(seed);
    return { kid: kidOf(public_key), public_key, status, created_at };
  });
  const own = product.signing_keys.filter(({ kid }) => adopted.every((key) => key.kid !== kid));
  const added = adopted.flatMap(({ kid }, place) => {
    const seed = seeds[kid] === undefined ? keys[place]?.seed : undefined;
    return seed ? [[kid, seal('signing_seed', seed, seedPlace(product.id, kid))] as const] : [];
  });
  return {
    product: { ...product, signing_keys: [...adopted, ...own.map((key) => ({ ...key, status: 'previous' as const }))] },
    seeds: { ...seeds, ...Object.fromEntries(added) },
  };
}

/** Gives a product the API key that it had in another deployment. Its own API key becomes invalid immediately. */
export function adoptApiKey(product: Product, apiKey: string, seal: SealKey<'api_key'>): Product {
  const hash = hashSecret(apiKey).toString('base64url');
  if (hash === product.api_key_hash) return product;
  const api_key = seal('api_key', apiKey, secretPlace(product.id, 'api_key'));
  return { ...product, api_key_hash: hash, previous_api_key: null, sealed: { ...product.sealed, api_key } };
}

const NO_SUCH_KEY = 'There is no such signing key';

/** Makes the next key the current key. Activating the current key changes nothing. A previous key cannot be activated again. */
export function activateSigningKey(product: Product, kid: string): Failure | Product {
  const key = product.signing_keys.find((candidate) => candidate.kid === kid);
  if (!key) return fail('not_found', NO_SUCH_KEY);
  if (key.status === 'current') return product;
  if (key.status === 'previous') return fail('invalid_request', 'A previous signing key cannot be activated again: create a new one');
  const after = { next: 'current', current: 'previous', previous: 'previous' } as const;
  return { ...product, signing_keys: product.signing_keys.map((one) => ({ ...one, status: after[one.status] })) };
}

/** Removes a signing key from the JWK set, and deletes its seed. */
export function deleteSigningKey(product: Product, seeds: SigningSeeds, kid: string): Failure | { product: Product; seeds: SigningSeeds } {
  const key = product.signing_keys.find((candidate) => candidate.kid === kid);
  if (!key) return fail('not_found', NO_SUCH_KEY);
  if (key.status === 'current') return fail('invalid_request', 'This is the current signing key: activate another one first');
  const { [kid]: _, ...rest } = seeds;
  return { product: { ...product, signing_keys: product.signing_keys.filter((one) => one !== key) }, seeds: rest };
}
