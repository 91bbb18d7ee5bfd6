import { HOUR_MS } from '../domain/time';
import { isFailure } from '../contract/errors';
import { secretPlace, type Product } from '../domain/product';
import { newestKeyOnly } from '../domain/seal';
import { seedPlace } from '../domain/signing-key';
import type { Connection } from '../domain/payments/connection';
import type { App } from '../runtime/app';
import { getConnection, listConnections, replaceSecrets } from '../store/payments/connections';
import { listPayments, replacePayload } from '../store/payments/log';
import { editProduct, getProductWithSeeds, listProducts, type ProductEdit, type ProductState } from '../store/products';
import { retry, TRY_AGAIN } from '../store/retry';
import { payloadPlace, secretPlace as connectionSecretPlace, type ConnectionSecret } from './payments/secrets';

const PAYMENTS_AT_ONCE = 100;

/** The stored responses of idempotent requests are kept for this number of hours. */
const KEPT_HOURS = 24;

/**
 * Says why the older keys of a ring must not be removed yet: responses may still be stored that only they open. Undefined if nothing speaks
 * against it.
 *
 * @param changedAt when the newest key was added, in epoch ms; undefined if it is unknown
 */
export function newKeyProblem(name: string, ring: string, changedAt: number | undefined, now: number): string | undefined {
  const age = now - (changedAt ?? now);
  if (newestKeyOnly(ring) === ring.trim() || age >= KEPT_HOURS * HOUR_MS) return undefined;
  return `The newest key of ${name} is ${Math.floor(age / HOUR_MS)} hours old. Stored responses of repeated requests may still need the older keys: run this command again ${KEPT_HOURS} hours after --new-keys. To remove the older keys now, add --force.`;
}

/** The numbers of products, connections and payments whose secrets or bodies were encrypted again. */
export interface Resealed {
  readonly products: number;
  readonly connections: number;
  readonly payments: number;
}

/** Whether the table contains products. Only the keys that encrypted their secrets can decrypt them. */
export async function hasProducts({ table }: App): Promise<boolean> {
  const { products, unreadable } = await listProducts(table, 0, 1);
  return products.length + unreadable > 0;
}

/**
 * Encrypts all secrets in the table again ("reseals" them) with the newest keys: the secrets of products and payment connections, and the
 * bodies of payment notifications. The function can run while the service runs, and can be repeated, because rows that change in the
 * meantime are read again. Stored responses of idempotent requests are left out, because they expire within 24 hours.
 *
 * @param onProgress is called with the id of each finished product
 */
export async function reseal(app: App, onProgress: (productId: number) => void = () => undefined): Promise<Resealed> {
  let [products, connections, payments] = [0, 0, 0];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: Awaited<ReturnType<typeof listProducts>> = await listProducts(app.table, after, 100);
    if (page.unreadable > 0)
      throw new Error(`${page.unreadable} products could not be read by this version: their secrets were not resealed`);
    for (const { id } of page.products) {
      await resealProduct(app, id);
      products += 1;
      const { entities, unreadable } = await listConnections(app.table, id);
      if (unreadable > 0) throw new Error(`${unreadable} payment connections of product ${id} could not be read by this version`);
      for (const connection of entities) {
        await resealConnection(app, connection);
        connections += 1;
      }
      payments += await resealPayments(app, id);
      onProgress(id);
    }
    after = page.next;
  }
  return { products, connections, payments };
}

async function resealConnection({ secrets, table }: App, connection: Connection): Promise<void> {
  const seal = await secrets.sealer('payment_secret');
  await retry(table, 'The payment connection', async ({ tries }) => {
    const current = tries === 0 ? connection : await getConnection(table, connection.id);
    if (!current) return undefined;
    const { id, token, signing_secrets, api_key } = current;
    const again = async (secret: ConnectionSecret, value: string): Promise<string> => {
      const place = connectionSecretPlace(id, secret);
      return seal('payment_secret', await secrets.open('payment_secret', value, place), place);
    };
    const resealed = {
      token: await again('token', token),
      signing_secrets: await Promise.all(
        signing_secrets.map(async ({ sealed, until }) => ({ sealed: await again('signing_secret', sealed), until })),
      ),
      api_key: api_key === null ? null : await again('api_key', api_key),
    };
    return (await replaceSecrets(table, current, resealed)) ? undefined : TRY_AGAIN;
  });
}

/**
 * Reseals the bodies of notifications. There may be many notifications, because notifications are kept for months. Bodies that were
 * encrypted with the newest key are left unchanged.
 */
async function resealPayments({ secrets, table }: App, productId: number): Promise<number> {
  const seal = await secrets.sealer('payment_payload');
  let done = 0;
  let before: string | undefined;
  do {
    const page: Awaited<ReturnType<typeof listPayments>> = await listPayments(table, productId, {}, before, PAYMENTS_AT_ONCE);
    if (page.unreadable > 0) throw new Error(`${page.unreadable} payments of product ${productId} could not be read by this version`);
    for (const payment of page.payments) {
      if (payment.payload === null || (await secrets.isNewest('payment_payload', payment.payload))) continue;
      const place = payloadPlace(payment.id);
      await replacePayload(table, payment, seal('payment_payload', await secrets.open('payment_payload', payment.payload, place), place));
      done += 1;
    }
    before = page.next;
  } while (before !== undefined);
  return done;
}

async function resealProduct(app: App, id: number): Promise<void> {
  await retry(app.table, 'The product', async () => {
    const before = await getProductWithSeeds(app.table, id);
    if (!before) return undefined;
    const sealed = await sealAnew(app, before);
    let changed = false;
    const edited = await editProduct(
      app.table,
      id,
      (state) => {
        changed = JSON.stringify(state) !== JSON.stringify(before);
        return changed ? { product: state.product } : sealed;
      },
      { withSeeds: true },
    );
    if (isFailure(edited)) throw new Error(edited.detail);
    return changed ? TRY_AGAIN : undefined;
  });
}

async function sealAnew({ secrets }: App, { product, seeds }: ProductState): Promise<ProductEdit> {
  const { id, sealed, previous_webhook_secret: previous } = product;
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
  for (const [kid, value] of Object.entries(seeds))
    resealed[kid] = seal('signing_seed', await secrets.open('signing_seed', value, seedPlace(id, kid)), seedPlace(id, kid));
  return { product: next, seeds: resealed };
}
