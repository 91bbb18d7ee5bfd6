import type { SQSBatchResponse } from 'aws-lambda';
import { start, type Deliver, type Queue } from '../../../infra/local/queue';
import { until } from './support';

/** Tests the queue of the local run: a product whose webhook hangs must not delay the events of other products, and nothing is lost. */

const reported: string[] = [];
const open = (deliver: Deliver): Queue => start(deliver, (line) => reported.push(line));
beforeEach(() => void reported.splice(0));

const done: SQSBatchResponse = { batchItemFailures: [] };
const message = (group: string, body: string, delaySeconds = 0) => ({ body, delaySeconds, group });
const many = (group: string, count: number) => Array.from({ length: count }, (_, place) => message(group, `${group} ${place}`));

test('a hundred products whose webhooks hang do not delay the events of another product, and each has a limited number of requests', async () => {
  const hanging = new Map<string, number>();
  const delivered: string[] = [];
  const release: (() => void)[] = [];
  const queue = open(({ Records }) => {
    const [group = ''] = Records[0]!.body.split(' ');
    // All messages of a batch belong to the same product.
    expect(new Set(Records.map(({ body }) => body.split(' ')[0]))).toEqual(new Set([group]));
    if (group === 'quick') return Promise.resolve(void delivered.push(...Records.map(({ body }) => body))).then(() => done);
    hanging.set(group, (hanging.get(group) ?? 0) + Records.length);
    return new Promise((resolve) => release.push(() => resolve(done)));
  });
  for (let product = 0; product < 100; product += 1) await queue.send(many(`p${product}`, 200));
  await queue.send(many('quick', 200));
  await until(() => delivered.length === 200);
  expect(new Set(hanging.values())).toEqual(new Set([160]));
  release.forEach((end) => end());
  await queue.stop();
});

test('a message arrives after its delay, and a message that could not be handled arrives again, up to five times', async () => {
  const received: { readonly body: string; readonly at: number }[] = [];
  const queue = open(({ Records }) => {
    const at = performance.now();
    received.push(...Records.map(({ body }) => ({ body, at })));
    if (Records.some(({ body }) => body === 'fault')) return Promise.reject(new Error('the table is away'));
    const failed = Records.filter(({ body }) => body === 'bad');
    return Promise.resolve({ batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) });
  });
  const begun = performance.now();
  await queue.send([message('1', 'now'), message('1', 'later', 1), message('2', 'bad'), message('2', 'good'), message('3', 'fault')]);
  await until(() => reported.filter((line) => line.includes('was dropped')).length === 2, 30_000);
  const times = (body: string): number => received.filter((one) => one.body === body).length;
  expect(['now', 'later', 'bad', 'good', 'fault'].map(times)).toEqual([1, 1, 5, 1, 5]);
  expect(received.find(({ body }) => body === 'later')!.at - begun).toBeGreaterThanOrEqual(999);
  expect(reported).toContain('ERROR Delivering events: the table is away');
});

test('a queue that stops waits for the batches in progress, and starts no others', async () => {
  const begun: string[] = [];
  let end: () => void = () => undefined;
  const queue = open(({ Records }) => {
    begun.push(...Records.map(({ body }) => body));
    return new Promise((resolve) => (end = () => resolve(done)));
  });
  await queue.send([message('1', 'a'), message('1', 'b', 1)]);
  await until(() => begun.length === 1);
  let hasStopped = false;
  const stopped = queue.stop().then(() => (hasStopped = true));
  await queue.send([message('1', 'c')]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasStopped).toBe(false);
  end();
  await stopped;
  expect(begun).toEqual(['a']);
});
