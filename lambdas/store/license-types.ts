import { fail, type Failure } from '../contract/errors';
import type { LicenseType } from '../domain/views';
import { counterKey, LICENSE_TYPE_PREFIX, licenseTypeKey, productKey, typeNameKey } from './keys';
import { toTerms } from './licenses/rows';
import { toProduct } from './products';
import { RowReader } from './row';
import { getItems, nextId, queryPages, type Item, type Table } from './table';
import { RESPONSE_EXISTS, create, transactOnce, type Action, type ResponseExists } from './transaction';
import type { Product } from '../domain/product';

export const nextLicenseTypeId = (table: Table): Promise<number> => nextId(table, counterKey('license_type'));

const licenseTypeItem = ({ self_service, archived, features, lease_minutes, new_devices_per_week, ...type }: LicenseType): Item => ({
  ...licenseTypeKey(type.product_id, type.id),
  version: 2,
  ...type,
  ...(features.length > 0 && { features }),
  ...(lease_minutes !== null && { lease_minutes }),
  ...(new_devices_per_week !== 0 && { new_devices_per_week }),
  ...(self_service && { self_service }),
  ...(archived && { archived }),
});

/** @throws UnreadableRow */
export const toLicenseType = (item: Item): LicenseType => {
  const row = new RowReader(item);
  return {
    ...toTerms(row),
    product_id: row.number('product_id'),
    created_at: row.number('created_at'),
    self_service: row.boolean('self_service'),
    archived: row.boolean('archived'),
  };
};

/** Records a new license type; refused where its product has one of that name. */
export async function createLicenseType(table: Table, type: LicenseType, storeResponse?: Action): Promise<Failure | ResponseExists | undefined> {
  const outcome = await transactOnce(
    table,
    [create(typeNameKey(type.product_id, type.name)), create(licenseTypeItem(type))],
    storeResponse,
  );
  if (outcome === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  return outcome.committed ? undefined : fail('duplicate', 'name is taken by another license type of this product');
}

/** A product and one of its license types, in one read. */
export async function getProductAndType(table: Table, productId: number, typeId: number): Promise<{ product?: Product; type?: LicenseType }> {
  const [product, type] = await getItems(table, [productKey(productId), licenseTypeKey(productId, typeId)]);
  return { ...(product && { product: toProduct(product) }), ...(type && { type: toLicenseType(type) }) };
}

/** Up to `limit` license types of a product with ids above `after`, ascending, and whether more remain. */
export async function listLicenseTypes(
  table: Table,
  productId: number,
  after: number,
  limit: number,
): Promise<{ types: LicenseType[]; more: boolean }> {
  const types: LicenseType[] = [];
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :end',
    ExpressionAttributeValues: {
      ':pk': productKey(productId).pk,
      ':after': `${licenseTypeKey(productId, after).sk}~`,
      ':end': `${LICENSE_TYPE_PREFIX}~`,
    },
    Limit: limit + 1,
  })) {
    types.push(...page.map(toLicenseType));
    if (types.length > limit) break;
  }
  return { types: types.slice(0, limit), more: types.length > limit };
}
