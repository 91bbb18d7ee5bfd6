import { BatchWriteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import type { LicenseTypeView, LicenseView } from '../../lambdas/contract/resources';
import { generateKey, KEY_RANDOM_BYTES } from '../../lambdas/domain/license-key';
import { emailList, licenseKey, listPosition } from '../../lambdas/store/keys';
import type { Table } from '../../lambdas/store/table';
import { connect, stackTableName } from './harness';
import { newLicense } from './http';

const BATCH = 25;
/** The first id of copied licenses. It is far above the ids that the service assigns in a test run. */
const FIRST_ID = 1_000_000;

/**
 * Writes many licenses of one type directly into the stack's table. They are copies of a license that the service created, each with its
 * own id and a buyer `buyer-<n>@example.com`. Every tenth license is revoked. See {@link cloneLicense}.
 */
export async function manyLicenses(type: LicenseTypeView, count: number): Promise<void> {
  const model = await newLicense(type, { customer_email: 'model@example.com' });
  const id = FIRST_ID * type.product_id;
  await copyLicense(model, count, stackTableName(), (place) => {
    const isRevoked = place % 10 === 9;
    return {
      id: id + place,
      customer_email: `buyer-${place}@example.com`,
      status: isRevoked ? 'revoked' : 'active',
      revoked_at: isRevoked ? Date.now() : null,
    };
  });
}

/** Writes copies of a license into a table of the test run's database. See {@link cloneLicense}. */
export async function copyLicense(
  license: Parameters<typeof cloneLicense>[1],
  count: number,
  name: string = stackTableName(),
  fieldsOf: (place: number) => object = () => ({}),
): Promise<void> {
  const client = connect();
  await cloneLicense({ client, name }, license, count, fieldsOf);
  client.destroy();
}

/**
 * Writes `count` copies of a license directly into the table, because selling them would take minutes. Each copy has its own key. The ids
 * are the numbers after the license's id, unless `fieldsOf` sets other ids. The copies can be listed and searched, but not read by id.
 * Returns their ids and keys.
 */
export async function cloneLicense(
  { client, name }: Pick<Table, 'client' | 'name'>,
  license: Pick<LicenseView, 'id' | 'key' | 'product_id' | 'customer_email'>,
  count: number,
  fieldsOf: (place: number) => object,
): Promise<{ id: number; key: string }[]> {
  const { product_id } = license;
  const { Item = {} } = await client.send(new GetCommand({ TableName: name, Key: licenseKey(product_id, license.key) }));
  const rows = Array.from({ length: count }, (_, place) => {
    const key = generateKey(randomBytes(KEY_RANDOM_BYTES));
    const row = { ...Item, id: license.id + 1 + place, customer_email: license.customer_email ?? '', ...fieldsOf(place) };
    const position = listPosition(row.id);
    return {
      ...row,
      ...licenseKey(product_id, key),
      key,
      list_sk: position,
      email_pk: emailList(product_id, row.customer_email),
      email_sk: position,
    };
  });
  const batches = Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, place) => rows.slice(place * BATCH, (place + 1) * BATCH));
  for (let batch = batches.splice(0, 20); batch.length > 0; batch = batches.splice(0, 20)) {
    await Promise.all(
      batch.map((items) =>
        client.send(new BatchWriteCommand({ RequestItems: { [name]: items.map((Item) => ({ PutRequest: { Item } })) } })),
      ),
    );
  }
  return rows.map(({ id, key }) => ({ id, key }));
}
