import { lookupKey } from '../../domain/license-key';
import type { License } from '../../domain/license';
import { type LicenseType } from '../../domain/license-type';
import type { Connection } from '../../domain/payments/connection';
import type { OrderLicenseRef, StoredOrder } from '../../domain/payments/order';
import { linesOf } from '../../domain/payments/target';
import type { Product } from '../../domain/product';
import type { App } from '../../runtime/app';
import type { Item } from '../../store/codec';
import { getItems } from '../../store/items';
import { licenseKey, licenseTypeKey, productKey, type Key } from '../../store/keys';
import { toLicenseType } from '../../store/license-types';
import { getLicense } from '../../store/licenses/read';
import { isDeadKey, toLicense } from '../../store/licenses/rows';
import { toProduct } from '../../store/products';

/** Loads an order with everything that its plan needs. */

/** The stored data from which the effects of an order's notifications are planned. */
export interface OrderState {
  readonly connection: Connection;
  readonly product: Product;
  readonly types: ReadonlyMap<number, LicenseType>;
  readonly stored: StoredOrder;
  /** Orders that were joined with this order. The commit removes the rows of these orders. */
  readonly removed: readonly StoredOrder[];
  readonly licenses: ReadonlyMap<number, License>;
}

/** The product of a connection, and the license types that the connection may issue. */
type TermsOfSale = Pick<OrderState, 'product' | 'types'>;

/** The keys of the rows that {@link termsOfSale} reads. */
export function termKeys({ product_id, plans, default_license_type_id: type }: Connection): Key[] {
  const types = new Set([...plans.map(({ license_type_id }) => license_type_id), ...(type === null ? [] : [type])]);
  return [productKey(product_id), ...[...types].map((id) => licenseTypeKey(product_id, id))];
}

/** Converts the rows with the keys from {@link termKeys} into the product and the license types. */
export function termsOfSale(connection: Connection, [productItem, ...typeItems]: readonly (Item | undefined)[]): TermsOfSale {
  if (!productItem) throw new Error(`The product of connection ${connection.id} does not exist`);
  return { product: toProduct(productItem), types: typesOf(typeItems) };
}

const typesOf = (items: readonly (Item | undefined)[]): Map<number, LicenseType> =>
  new Map(items.flatMap((item) => (item ? [toLicenseType(item)] : [])).map((type) => [type.id, type]));

/** Loads an order with its licenses and license types. These include license types that no plan of the connection contains any more. */
export async function loadOrder(
  app: App,
  connection: Connection,
  { stored, removed }: Pick<OrderState, 'stored' | 'removed'>,
  { product, types }: TermsOfSale,
): Promise<OrderState> {
  const licenses = await readLicenses(app, connection, stored.licenses);
  const missing = new Set(
    (linesOf(stored.facts) ?? []).flatMap(({ sold }) => (sold && !types.has(sold.licenseTypeId) ? [sold.licenseTypeId] : [])),
  );
  const others = await getItems(
    app.table,
    [...missing].map((id) => licenseTypeKey(connection.product_id, id)),
  );
  return { connection, product, types: new Map([...types, ...typesOf(others)]), stored, removed, licenses };
}

/** Reads the current licenses of an order. A license that was moved to a new key is found by its id. */
async function readLicenses(app: App, { product_id }: Connection, refs: readonly OrderLicenseRef[]): Promise<ReadonlyMap<number, License>> {
  const items = await getItems(
    app.table,
    refs.map(({ key }) => licenseKey(product_id, lookupKey(key) ?? '')),
  );
  const licenses = new Map<number, License>();
  for (const [index, { id }] of refs.entries()) {
    const item = items[index];
    const license = item && !isDeadKey(item) ? toLicense(item) : await getLicense(app.table, id);
    if (license) licenses.set(id, license);
  }
  return licenses;
}
