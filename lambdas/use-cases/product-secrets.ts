import type * as z from 'zod/mini';
import type { ProductView } from '../contract/resources';
import type { setWebhook } from '../contract/webhooks';
import { productView, secretPlace, type Product, type ProductSecret } from '../domain/product';
import { UnknownSealingKey } from '../domain/seal';
import type { App } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { getProductWithSeeds } from '../store/products';

/** Decrypts one of a product's secrets. */
export async function openSecret(
  { secrets }: Pick<App, 'secrets'>,
  { id, sealed }: Pick<Product, 'id' | 'sealed'>,
  secret: ProductSecret,
): Promise<string> {
  return (await secrets.open(secret, sealed[secret], secretPlace(id, secret))).toString();
}

/** The number of characters of a replaced API key that are shown. */
const HINT_LENGTH = 4;

/** The end of the product's API key. It is null if the key cannot be decrypted any more, because a rotation must be possible then, too. */
export async function apiKeyHint(app: Pick<App, 'secrets'>, product: Product): Promise<string | null> {
  try {
    return (await openSecret(app, product, 'api_key')).slice(-HINT_LENGTH);
  } catch (error) {
    if (error instanceof UnknownSealingKey) return null;
    throw error;
  }
}

/**
 * The secrets that sign a product's deliveries at `now` (epoch ms), newest first. After a rotation, deliveries are also signed with the
 * previous secret, until the overlap of the two secrets ends.
 */
export async function webhookSecrets(app: App, product: Product, now: number): Promise<[newest: string, ...before: string[]]> {
  const previous = product.previous_webhook_secret;
  const newest = openSecret(app, product, 'webhook_secret');
  if (!previous || now >= previous.until) return [await newest];
  const before = app.secrets.open('webhook_secret', previous.sealed, secretPlace(product.id, 'webhook_secret'));
  return [await newest, (await before).toString()];
}

/** The view of a product for the operator. */
export async function showProduct(app: App, product: Product): Promise<ProductView> {
  return productView(product, await openSecret(app, product, 'api_key'));
}

/**
 * The view of a product in a list. If the deployment no longer has the key that encrypted the product's secrets, the view is undefined and
 * the error is logged, so that the other products are still shown.
 */
export async function showListedProduct(app: App, product: Product): Promise<ProductView | undefined> {
  try {
    return await showProduct(app, product);
  } catch (error) {
    if (!(error instanceof UnknownSealingKey)) throw error;
    log.error('PRODUCT_NOT_OPENED', { product_id: product.id }, error);
    return undefined;
  }
}

/** The view of a product's webhook settings, which only the operator may see. */
export async function showWebhook(app: App, product: Product): Promise<z.input<typeof setWebhook.response>> {
  const { webhook_url: url, webhook_events: events } = product;
  return { url, events: events && [...events], secret: await openSecret(app, product, 'webhook_secret') };
}

/**
 * Returns a product and makes sure that its signing seeds are in the cache, as `app.products.signer` requires. The product comes from the
 * cache if it was read at most a minute ago, otherwise from the table.
 */
export async function getSigningProduct({ products, table }: App, id: number): Promise<Product | undefined> {
  const known = products.get(id);
  if (known?.isFresh && known.hasSeeds) return known.product;
  const read = await getProductWithSeeds(table, id);
  return read && products.put(read.product, read.seeds).product;
}
