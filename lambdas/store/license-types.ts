import { fail, type Failure } from '../contract/errors';
import { metersText } from '../contract/resources';
import { changedFields, changesOf } from '../domain/audit';
import { licenseTypeSchema, type LicenseType } from '../domain/license-type';
import { counterKey, LICENSE_TYPE_PREFIX, licenseTypeIdKey, licenseTypeKey, productKey, selfServiceKey, typeNameKey } from './keys';
import { toProduct } from './products';
import { numberIn, readRow, readRows, rowFields } from './row';
import { getItem, getItems, nextId } from './items';
import type { Item } from './codec';
import type { Table } from './table';
import { RESPONSE_EXISTS, create, transact, transactOnce, type Action, type ResponseExists } from './transaction';
import type { Product } from '../domain/product';
import { scanPage } from './scan';

export const nextLicenseTypeId = (table: Table): Promise<number> => nextId(table, counterKey('license_type'));

const licenseTypeItem = (type: LicenseType): Item => ({
  ...licenseTypeKey(type.product_id, type.id),
  version: 2,
  ...rowFields(licenseTypeSchema, type),
});

/** @throws UnreadableRow */
export const toLicenseType = (item: Item): LicenseType => readRow(licenseTypeSchema, item);

/** Records a new license type. The license type is refused if the product already has a license type with the same name. */
export async function createLicenseType(
  table: Table,
  type: LicenseType,
  storeResponse?: Action,
): Promise<Failure | ResponseExists | undefined> {
  table.audit?.describe({ target: `license_type/${type.id}` });
  const transaction = await transactOnce(
    table,
    [
      create(typeNameKey(type.product_id, type.name)),
      ...(type.self_service ? [offerTrial(type)] : []),
      create(licenseTypeItem(type)),
      create({ ...licenseTypeIdKey(type.id), product_id: type.product_id }),
    ],
    storeResponse,
  );
  if (transaction === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  return transaction.committed ? undefined : duplicateOf(transaction.failed);
}

/**
 * The refusal of a new or changed license type: either its name is taken, or the product already has another self-service type. The
 * parameter contains the results of the failed transaction. The first result is undefined if the name is not taken.
 */
const duplicateOf = ([nameTaken]: readonly unknown[]): Failure =>
  fail(
    'duplicate',
    nameTaken === undefined
      ? 'self_service is taken by another license type of this product'
      : 'name is taken by another license type of this product',
  );

/** The action that makes a license type the product's self-service type, which client apps may issue themselves. */
const offerTrial = (type: LicenseType): Action => create({ ...selfServiceKey(type.product_id), license_type_id: type.id });

/** Reads license types of a product by their ids in one read. Ids that do not exist are left out. */
export async function getLicenseTypes(table: Table, productId: number, ids: readonly number[]): Promise<LicenseType[]> {
  const items = await getItems(
    table,
    ids.map((id) => licenseTypeKey(productId, id)),
  );
  return items.flatMap((item) => (item ? [toLicenseType(item)] : []));
}

/** Finds a license type by its id; undefined if it does not exist. */
export async function findLicenseType(table: Table, id: number): Promise<LicenseType | undefined> {
  const pointer = await getItem(table, licenseTypeIdKey(id));
  const item = pointer && (await getItem(table, licenseTypeKey(numberIn(pointer, 'product_id'), id)));
  return item && toLicenseType(item);
}

/** The fields of a license type as the audit log shows them. */
const shownFields = (type: LicenseType) => ({ ...type, meters: metersText(type.meters) });

/**
 * Stores a changed license type. The same transaction updates the rows that reserve the type's name and its place as the product's
 * self-service type. If no field changed, nothing is stored.
 *
 * @returns `raced` if another request changed the license type in the meantime
 */
export async function replaceLicenseType(table: Table, before: LicenseType, after: LicenseType): Promise<Failure | 'replaced' | 'raced'> {
  const changed = changedFields(before, after);
  if (changed.length === 0) return 'replaced';
  table.audit?.describe({ product_id: before.product_id, details: changed, changes: changesOf(shownFields(before), shownFields(after)) });
  const isRenamed = before.name !== after.name;
  const trial = Number(after.self_service) - Number(before.self_service);
  // The condition compares all fields. A field with its default value is absent from the row.
  const old = licenseTypeItem(before);
  const fields = Object.keys(licenseTypeSchema.shape);
  const conditions = fields.map((field) =>
    old[field] === undefined || old[field] === null ? `(attribute_not_exists(#${field}) OR #${field} = :null)` : `#${field} = :${field}`,
  );
  const transaction = await transact(table, [
    {
      Put: {
        Item: licenseTypeItem(after),
        ConditionExpression: conditions.join(' AND '),
        ExpressionAttributeNames: Object.fromEntries(fields.map((field) => [`#${field}`, field])),
        ExpressionAttributeValues: {
          ...Object.fromEntries(
            fields.flatMap((field): [string, unknown][] =>
              old[field] === undefined || old[field] === null ? [] : [[`:${field}`, old[field]]],
            ),
          ),
          ':null': null,
        },
      },
    },
    ...(isRenamed ? [create(typeNameKey(after.product_id, after.name))] : []),
    ...(trial > 0 ? [offerTrial(after)] : []),
    ...(isRenamed ? [{ Delete: { Key: typeNameKey(before.product_id, before.name) } }] : []),
    ...(trial < 0 ? [{ Delete: { Key: selfServiceKey(after.product_id) } }] : []),
  ]);
  if (transaction.committed) return 'replaced';
  const [changedMeanwhile, ...taken] = transaction.failed;
  // If another request changed this license type in the meantime, that change may have taken the name or the self-service place for this
  // same license type. The result is then `raced`.
  return changedMeanwhile === undefined ? duplicateOf(isRenamed ? taken : []) : 'raced';
}

/** Reads a product and one of its license types in one read. */
export async function getProductAndType(
  table: Table,
  productId: number,
  typeId: number,
): Promise<{ product?: Product; type?: LicenseType }> {
  const [product, type] = await getItems(table, [productKey(productId), licenseTypeKey(productId, typeId)]);
  return { ...(product && { product: toProduct(product) }), ...(type && { type: toLicenseType(type) }) };
}

/**
 * Lists up to `limit` license types of a product with ids above `after`, in ascending order. `next` is the id of the last listed row if
 * there are more license types.
 */
export async function listLicenseTypes(
  table: Table,
  productId: number,
  after: number,
  limit: number,
): Promise<{ types: readonly LicenseType[]; unreadable: number; next?: number }> {
  const query = {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :end',
    ExpressionAttributeValues: {
      ':pk': productKey(productId).pk,
      ':after': `${licenseTypeKey(productId, after).sk}~`,
      ':end': `${LICENSE_TYPE_PREFIX}~`,
    },
    Limit: limit + 1,
  };
  const { entries, last } = await scanPage(table, query, { keep: (item) => item, limit });
  const { entities: types, unreadable } = readRows(entries, toLicenseType);
  return { types, unreadable, ...(last && { next: Number(String(last['sk']).slice(LICENSE_TYPE_PREFIX.length)) }) };
}
