import { tableClient } from '../../lambdas/store/client';
import { productKey } from '../../lambdas/store/keys';
import { getItem } from '../../lambdas/store/items';
import { CALL_LIMIT_MS, StoreUnavailable, type Table } from '../../lambdas/store/table';
import { noLock } from '../model/turns';
import { startTcp } from '../support/receiver';

test('a call that hangs is cancelled after three seconds and repeated over a new connection', async () => {
  let calls = 0;
  const sockets = new Set<unknown>();
  const silent = await startTcp((socket) => {
    calls += 1;
    sockets.add(socket);
  });
  const client = tableClient({
    endpoint: `http://127.0.0.1:${silent.port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const now = Date.now();
  const table: Table = {
    client,
    name: 'table',
    clock: Date.now,
    realClock: Date.now,
    random: (bytes) => new Uint8Array(bytes),
    sleep: () => Promise.resolve(),
    callLimitMs: CALL_LIMIT_MS,
    withLock: noLock,
    limits: { retryUntil: now + 10_000, deadline: now + CALL_LIMIT_MS + 1500 },
  };
  await expect(getItem(table, productKey(1))).rejects.toThrow(StoreUnavailable);
  expect(Date.now() - now).toBeGreaterThanOrEqual(CALL_LIMIT_MS);
  expect([calls, sockets.size]).toEqual([2, 2]);
  client.destroy();
  await silent.close();
});
