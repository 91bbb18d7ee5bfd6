import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../../lambdas/store/client';
import { isTransient } from '../../lambdas/store/table';
import { startTcp } from '../support/receiver';

test('a table that takes a call and never answers is given up after three seconds, in time for another try', async () => {
  const silent = await startTcp(() => undefined);
  const client = documentClient({ endpoint: `http://127.0.0.1:${silent.port}`, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' }, maxAttempts: 1 });
  const begun = performance.now();
  const error: unknown = await client.send(new GetCommand({ TableName: 'table', Key: { pk: 'a', sk: 'b' } })).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'TimeoutError' });
  expect(isTransient(error)).toBe(true);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(2900);
  client.destroy();
  await silent.close();
});
