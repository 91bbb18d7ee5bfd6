import { BatchWriteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { deviceKey, devicePosition } from '../../lambdas/store/keys';
import { MAX_LISTED_DEVICES } from '../../lambdas/store/licenses';
import { tableName } from '../support/harness';
import { closeShops, openShop } from '../support/shop';

afterEach(closeShops);

test('machines that a reset has freed, however many, hide none that came after it', async () => {
  const service = await openShop({ kind: 'lifetime', max_seats: 0 });
  const { id, key } = await service.newLicense();
  await service.activate(key, 'fingerprint-old');
  const { Item: device = {} } = await service.client.send(new GetCommand({ TableName: tableName(), Key: deviceKey(service.productId, key, 'fingerprint-old') }));
  const others = Array.from({ length: MAX_LISTED_DEVICES }, (_, place) => {
    const fingerprint = `fingerprint-${String(place).padStart(6, '0')}`;
    return { ...device, ...deviceKey(service.productId, key, fingerprint), list_sk: devicePosition(id, fingerprint), fingerprint };
  });
  while (others.length > 0) {
    const batches = Array.from({ length: 20 }, () => others.splice(0, 25)).filter((batch) => batch.length > 0);
    await Promise.all(batches.map((batch) => service.client.send(new BatchWriteCommand({ RequestItems: { [tableName()]: batch.map((Item) => ({ PutRequest: { Item } })) } }))));
  }
  await service.call('resetLicense', { params: { id } });
  for (const fingerprint of ['fingerprint--first', 'fingerprint-zlast']) await service.activate(key, fingerprint);

  const { activations } = await service.license(id);
  expect(activations).toHaveLength(2);
  for (const order of ['asc', 'desc']) {
    const { body } = await service.call('listLicenses', { params: { id: service.productId }, query: { order } });
    expect(body).toMatchObject([{ id, seats: { used: 2 }, activations }]);
  }
});
