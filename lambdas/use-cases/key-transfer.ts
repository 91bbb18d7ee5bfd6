import { fail, isFailure, type Failure } from '../contract/errors';
import { deployment } from '../domain/actor';
import { NO_ORIGIN } from '../domain/audit';
import { readKeyFile, writeKeyFile, type OpenSigningKey } from '../domain/key-file';
import { adoptApiKey, adoptSigningKeys, signingKeysInOrder, signingKeysView } from '../domain/product';
import { seedPlace } from '../domain/signing-key';
import type { App } from '../runtime/app';
import { AuditTrail } from '../store/audit-trail';
import { editProduct, getProductWithSeeds } from '../store/products';
import { recordWrite, RESPONSE_EXISTS } from '../store/transaction';

/**
 * Moves a product's signing keys out of a deployment and into another (docs/exit.md). No endpoint of the API does this: a caller needs
 * access to the deployment's table and secrets.
 */

const NO_PRODUCT = 'There is no such product';

/** The keys of a product as the commands show them. */
export type KeyViews = ReturnType<typeof signingKeysView>;

/** The app with an audit entry for the transfer. */
const recording = (app: App, action: 'exportSigningKeys' | 'importSigningKeys', productId: number): App =>
  app.recording(
    new AuditTrail(
      {
        actor: deployment.id,
        actor_name: deployment.name,
        action,
        product_id: productId,
        license_id: null,
        target: `product/${productId}`,
        ...NO_ORIGIN,
      },
      { what: action === 'exportSigningKeys' ? 'Export the signing keys' : 'Import signing keys', details: [] },
    ),
  );

/** Returns the key file of a product, encrypted with the passphrase. */
export async function exportSigningKeys(
  app: App,
  productId: number,
  passphrase: string,
): Promise<Failure | { file: string; keys: KeyViews }> {
  const found = await getProductWithSeeds(app.table, productId);
  if (!found) return fail('not_found', NO_PRODUCT);
  const { product, seeds } = found;
  const keys: OpenSigningKey[] = [];
  for (const { kid, status, created_at } of signingKeysInOrder(product)) {
    const seed = await app.secrets.open('signing_seed', seeds[kid] ?? '', seedPlace(productId, kid));
    keys.push({ kid, status, created_at, seed });
  }
  await recordWrite(recording(app, 'exportSigningKeys', productId).table);
  return { file: writeKeyFile(keys, passphrase), keys: signingKeysView(product) };
}

export interface KeyImport {
  readonly file: string;
  readonly passphrase: string;
  /** The API key that the product gets; undefined if it keeps its own. */
  readonly apiKey?: string | undefined;
}

/** Adds the keys of a key file to a product. Its current key then signs, and the product's own keys only verify. */
export async function importSigningKeys(
  app: App,
  productId: number,
  { file, passphrase, apiKey }: KeyImport,
): Promise<Failure | { keys: KeyViews }> {
  const keys = readKeyFile(file, passphrase);
  if (typeof keys === 'string') return fail('invalid_request', keys);
  const seal = await app.secrets.sealer('signing_seed', 'api_key');
  const edited = await editProduct(
    recording(app, 'importSigningKeys', productId).table,
    productId,
    ({ product, seeds }) => {
      const adopted = adoptSigningKeys(product, seeds, keys, seal);
      return { ...adopted, product: apiKey === undefined ? adopted.product : adoptApiKey(adopted.product, apiKey, seal) };
    },
    { withSeeds: true },
  );
  if (isFailure(edited)) return edited;
  if (edited === RESPONSE_EXISTS) throw new Error('An edit without a stored response reports a stored response');
  return { keys: signingKeysView(edited.product) };
}
