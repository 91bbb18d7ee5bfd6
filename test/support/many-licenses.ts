import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import type { LicenseTypeView } from '../../lambdas/contract/resources';
import { generateKey, KEY_RANDOM_BYTES } from '../../lambdas/domain/license-key';
import { emailList, licenseKey, listPosition } from '../../lambdas/store/keys';
import { connect } from './harness';
import { newLicense } from './http';

const BATCH = 25;
/** Far above the ids that the service gives in a test run. */
const FIRST_ID = 1_000_000;

/**
 * Puts many licenses of one type straight into the stack's table: copies of one that the service made, each
 * with an id, a key and a buyer `buyer-<n>@example.com` of its own. Every tenth is revoked. They can be listed
 * and searched; there is no way to them by id.
 */
export async function manyLicenses(type: LicenseTypeView, count: number): Promise<void> {
  const TableName = process.env['LKS_STACK_TABLE'] ?? '';
  const model = await newLicense(type, { customer_email: 'model@example.com' });
  const client = connect();
  const { pk, sk } = licenseKey(type.product_id, model.key);
  const { Items } = await client.send(new QueryCommand({ TableName, KeyConditionExpression: 'pk = :pk AND sk = :sk', ExpressionAttributeValues: { ':pk': pk, ':sk': sk } }));
  const first = FIRST_ID * type.product_id;
  const rows = Array.from({ length: count }, (_, place) => {
    const id = first + place;
    const key = generateKey(randomBytes(KEY_RANDOM_BYTES));
    const customer_email = `buyer-${place}@example.com`;
    const status = place % 10 === 9 ? 'revoked' : 'active';
    return {
      ...Items?.[0],
      ...licenseKey(type.product_id, key),
      list_sk: listPosition(id),
      email_pk: emailList(type.product_id, customer_email),
      email_sk: listPosition(id),
      id,
      key,
      customer_email,
      status,
      revoked_at: status === 'revoked' ? Date.now() : null,
    };
  });
  const batches = Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, place) => rows.slice(place * BATCH, (place + 1) * BATCH));
  for (let batch = batches.splice(0, 20); batch.length > 0; batch = batches.splice(0, 20)) {
    await Promise.all(batch.map((items) => client.send(new BatchWriteCommand({ RequestItems: { [TableName]: items.map((Item) => ({ PutRequest: { Item } })) } }))));
  }
  client.destroy();
}
