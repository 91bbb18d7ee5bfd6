import type { Subject } from '../contract/endpoint';
import { connectionKey, eventKey, licenseIdKey, licenseTypeKey, paymentKey, releaseIdKey, type Key } from './keys';
import { getItem } from './items';
import type { Table } from './table';

/** The parsed parameters of a request's path. */
export type PathParams = Readonly<Record<string, unknown>>;

/** The kinds of resources that a path can name and that belong to a product. The product itself is not one of them. */
export type Owned = Exclude<Subject, 'product' | 'products' | 'deployment' | 'caller'>;

/**
 * For each kind of resource, the key of the row that contains the resource's product id. The row of a license type is in its product's
 * partition, so its key also needs the product id.
 */
const rowOf: Readonly<Record<Owned, (params: PathParams, productId: number) => Key>> = {
  license: ({ id }) => licenseIdKey(id as number),
  license_type: ({ id }, productId) => licenseTypeKey(productId, id as number),
  release: ({ id }) => releaseIdKey(id as number),
  delivery: ({ event_id }) => eventKey(event_id as string),
  payment_connection: ({ id }) => connectionKey(id as number),
  payment: ({ payment }) => paymentKey(payment as string),
};

/** Whether the resource in a path exists and belongs to the product. A resource never moves to another product. */
export async function belongsTo(table: Table, productId: number, subject: Owned, params: PathParams): Promise<boolean> {
  const item = await getItem(table, rowOf[subject](params, productId));
  return item?.['product_id'] === productId;
}
