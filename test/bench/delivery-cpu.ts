import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { bundle } from '../../infra/bundle';
import { EVENT_RANDOM_BYTES, testEvent } from '../../lambdas/domain/event';
import { createEvent } from '../../lambdas/store/events/record';
import { startHarness } from '../support/harness';
import { newProduct, post } from '../support/http';
import { startReceiver } from '../support/receiver';
import type { Batches } from './delivery-cpu-child';
import type { BenchStack } from './bench-stack';
import { atMost, type Section } from './report';
import { inTurns, median } from './rounds';

const ROUNDS = 15;
/** The number of batches in a round. Each batch has ten events, which is the queue's maximum for one call of the function. */
const BATCHES = 15;
const BATCH = 10;
/** The number of batches before the measurement. After these batches all code is compiled, as in a function that has run for a while. */
const WARM_UP = 60;

const FILES = { deliver: 'lambdas/events/deliver.ts', bare: 'test/bench/baseline/delivery.ts' } as const;

/** Compares the processor time per event of the delivery function with that of its baseline: the necessary SDK calls and the POST. */
export async function deliveryCpu(stack: BenchStack): Promise<Section> {
  const receiver = await startReceiver();
  const product = await newProduct();
  const { status } = await post(`/v1/products/${product.id}/webhook`, { url: receiver.url });
  if (status !== 200) throw new Error(`The webhook was not set: ${status}`);
  const harness = startHarness();
  const table = { ...harness.app.table, name: process.env['LKS_STACK_TABLE'] ?? '' };
  const recorded = async (): Promise<string> => {
    const event = testEvent(product, Date.now(), randomBytes(EVENT_RANDOM_BYTES));
    await createEvent(table, event);
    return event.id;
  };
  const batchesOf = {
    deliver: async (count: number) => {
      const batches: string[][] = [];
      while (batches.length < count) batches.push(await Promise.all(Array.from({ length: BATCH }, recorded)));
      return batches;
    },
    bare: (count: number) =>
      Promise.resolve(Array.from({ length: count }, () => Array.from({ length: BATCH }, () => randomBytes(16).toString('hex')))),
  };

  const folders = bundle(Object.values(FILES), { sourceMaps: false });
  const env = { PATH: process.env['PATH'], AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', ...stack.env };
  const ended = new AbortController();
  const start = (kind: keyof typeof FILES) => {
    // The child's output is hidden, because it only contains the usual log lines and metrics of functions.
    const child = fork(resolve(__dirname, 'delivery-cpu-child.ts'), [folders.get(FILES[kind]) ?? ''], {
      execArgv: ['--import', 'tsx'],
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.once('exit', () => ended.abort(new Error(`${kind} has ended`)));
    return {
      turn: async (count: number): Promise<number> => {
        child.send({ url: receiver.url, batches: await batchesOf[kind](count) } satisfies Batches);
        const [cost] = (await once(child, 'message', { signal: ended.signal })) as [number];
        return cost;
      },
      stop: () => child.removeAllListeners('exit').kill(),
    };
  };
  const children = { deliver: start('deliver'), bare: start('bare') };
  await children.deliver.turn(WARM_UP);
  await children.bare.turn(WARM_UP);
  const costs = await inTurns(ROUNDS, { deliver: () => children.deliver.turn(BATCHES), bare: () => children.bare.turn(BATCHES) });
  for (const child of Object.values(children)) child.stop();
  harness.close();
  await receiver.close();
  return {
    title: 'Processor time of a delivery',
    how: `The bundled delivery function is compared with a function that only makes the SDK calls and the POST that a delivery requires. Each of the two runs in its own process, and their measurements alternate. The values are medians of ${ROUNDS} rounds of ${BATCHES} batches of ${BATCH} events. DynamoDB and the receiver run in other processes and are not counted.`,
    results: [
      {
        what: 'delivering an event',
        value: median(costs.deliver),
        unit: 'µs',
        against: { what: 'SDK and POST', value: median(costs.bare) },
        goal: atMost(1.4),
      },
    ],
  };
}
