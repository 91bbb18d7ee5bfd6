import { BatchWriteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { deviceRef } from '../../lambdas/domain/activation';
import { deviceKey, devicePosition, licenseKey } from '../../lambdas/store/keys';
import { tableName } from './harness';
import type { Shop } from './shop';

/**
 * Writes the rows of additional devices directly into the table, as copies of a bound device. Creating them through the service would take
 * minutes.
 */
export async function cloneDevice(
  { client, productId }: Shop,
  { id, key }: { readonly id: number; readonly key: string },
  fingerprint: string,
  count: number,
): Promise<void> {
  const { Item: device = {} } = await client.send(
    new GetCommand({ TableName: tableName(), Key: deviceKey(licenseKey(productId, key), fingerprint) }),
  );
  const rows = Array.from({ length: count }, (_, place) => {
    const clone = `fingerprint-${String(place).padStart(6, '0')}`;
    return { ...device, ...deviceKey(licenseKey(productId, key), clone), list_sk: devicePosition(id, clone), fingerprint: clone };
  });
  const batches = Array.from({ length: Math.ceil(count / 25) }, (_, place) => rows.slice(25 * place, 25 * (place + 1)));
  const write = async (): Promise<void> => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName()]: batch.map((Item) => ({ PutRequest: { Item } })) } }));
    }
  };
  await Promise.all(Array.from({ length: 20 }, write));
}

/** The `ref` of a device in a service that `startHarness` or `serveInProcess` has started; their secrets are fixed. */
export const deviceRefOf = (license: { readonly id: number }, fingerprint: string): string =>
  deviceRef('test-portalKey', license, { fingerprint });
