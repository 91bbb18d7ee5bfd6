import { isFailure } from '../contract/errors';
import { currentKey, secretPlace, type Product } from '../domain/product';
import { firstReleaseSeedPlace, seedPlace, type SigningSeeds } from '../domain/signing-key';
import type { App } from '../runtime/app';
import { changeProduct, getProductWithSeeds, listProducts, type ProductChange, type ProductState } from '../store/products';

/**
 * Seals every product's secrets anew with the newest keys, and moves the seeds of the first release to rows of their
 * own. It may run while the service does, and again: a product that changes meanwhile is read again. Stored responses
 * of idempotent requests are left out: they end by themselves within 24 hours.
 *
 * @param onProgress gets the id of each product that is done
 * @returns how many products were done
 */
export async function resealProducts(app: App, onProgress: (productId: number) => void = () => undefined): Promise<number> {
  let done = 0;
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: Awaited<ReturnType<typeof listProducts>> = await listProducts(app.table, after, 100);
    if (page.unreadable > 0) throw new Error(`${page.unreadable} products could not be read by this version: nothing of them was sealed anew`);
    for (const { id } of page.products) {
      await resealProduct(app, id);
      done += 1;
      onProgress(id);
    }
    after = page.next;
  }
  return done;
}

async function resealProduct(app: App, id: number): Promise<void> {
  for (;;) {
    const before = await getProductWithSeeds(app.table, id);
    if (!before) return;
    const sealed = await sealAnew(app, before);
    let changed = false;
    const outcome = await changeProduct(
      app.table,
      id,
      (state) => {
        changed = JSON.stringify(state) !== JSON.stringify(before);
        return changed ? { product: state.product } : sealed;
      },
      { withSeeds: true },
    );
    if (isFailure(outcome)) throw new Error(outcome.detail);
    if (!changed) return;
  }
}

async function sealAnew({ secrets }: App, { product, seeds }: ProductState): Promise<ProductChange> {
  const { id, sealed: { seed, ...sealed }, previous_webhook_secret: previous } = product;
  const seal = await secrets.sealer('signing_seed', 'api_key', 'webhook_secret');
  const again = async (secret: 'api_key' | 'webhook_secret', value: string): Promise<string> => {
    const place = secretPlace(id, secret);
    return seal(secret, await secrets.open(secret, value, place), place);
  };
  const next: Product = {
    ...product,
    sealed: { api_key: await again('api_key', sealed.api_key), webhook_secret: await again('webhook_secret', sealed.webhook_secret) },
    previous_webhook_secret: previous && { ...previous, sealed: await again('webhook_secret', previous.sealed) },
  };
  const resealed: Record<string, string> = {};
  for (const [kid, value] of Object.entries(seeds)) resealed[kid] = seal('signing_seed', await secrets.open('signing_seed', value, seedPlace(id, kid)), seedPlace(id, kid));
  return { product: next, seeds: { ...resealed, ...(seed !== undefined && (await moved(seed))) } };

  /** The seed of the first key, which is in the product's row until now. */
  async function moved(value: string): Promise<SigningSeeds> {
    const { kid } = product.signing_keys.find((key) => seeds[key.kid] === undefined) ?? currentKey(product);
    return { [kid]: seal('signing_seed', await secrets.open('first_release_seed', value, firstReleaseSeedPlace(id)), seedPlace(id, kid)) };
  }
}
