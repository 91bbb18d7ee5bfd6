import type { LicenseView, ProductView } from '../../lambdas/contract/resources';
import { app, newFingerprint, newLicense, newProduct, newType, post, type Answer } from '../support/http';
import { startReceiver } from '../support/receiver';
import { until } from '../support/until';
import { processorTimes, spentBetween } from './processor-time';
import type { BenchStack } from './bench-stack';
import { atMost, type Result, type Section } from './report';
import { medians } from './rounds';

/** The number of requests before the measurement starts. During these requests, V8 compiles frequently called functions again. */
const WARM_UP = 3_000;
/** The number of requests in a round. */
const REQUESTS = 600;
/** The number of simultaneous requests. */
const CLIENTS = 4;
/** The number of simultaneous requests in the measurement that is compared with one request at a time. */
const MANY_CLIENTS = 32;
const ROUNDS = 5;
const LICENSES = 64;
/** Threads that use less processor time per request than this number of milliseconds are shown together. */
const SMALL_MS = 0.1;

interface Operation {
  readonly what: string;
  /** The goal for the processor time, in milliseconds. */
  readonly goal?: number;
  readonly request: () => Promise<Answer<unknown>>;
  /** Resolves when all effects of the previous requests, such as deliveries, are done. */
  readonly settled?: () => Promise<unknown>;
}

async function times(count: number, { request, settled, what }: Operation, clients = CLIENTS): Promise<void> {
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      const { status, text } = await request();
      if (status !== 200) throw new Error(`${what}: ${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  await settled?.();
}

interface Part {
  readonly thread: string;
  readonly ms: number;
}

const sum = (parts: readonly Part[]): number => parts.reduce((total, { ms }) => total + ms, 0);

/** The processor time of a request in each process and thread of the local stack. */
async function spentOn(pid: number, operation: Operation, clients?: number): Promise<Part[]> {
  const before = processorTimes(pid);
  await times(REQUESTS, operation, clients);
  return [...spentBetween(before, processorTimes(pid))].map(([thread, ms]) => ({ thread, ms: ms / REQUESTS }));
}

/** The processor time of a request, over all processes and threads of the local stack, in the round whose total is the median. */
async function cost(pid: number, operation: Operation): Promise<Result[]> {
  await times(WARM_UP, operation);
  const rounds: Part[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await spentOn(pid, operation));
  rounds.sort((a, b) => sum(a) - sum(b));
  const spent = (rounds[Math.floor(ROUNDS / 2)] ?? []).sort((a, b) => b.ms - a.ms);
  const { what, goal } = operation;
  return [
    { what, value: sum(spent), unit: 'ms', ...(goal !== undefined && { goal: atMost(goal) }) },
    ...spent.filter(({ ms }) => ms >= SMALL_MS).map(({ thread, ms }): Result => ({ what: `– of which ${thread}`, value: ms, unit: 'ms' })),
    { what: '– of which others', value: sum(spent.filter(({ ms }) => ms < SMALL_MS)), unit: 'ms' },
  ];
}

/** Measures the processor time per request with many simultaneous clients, and compares it with the time per request with one client. */
async function withManyClients(pid: number, operation: Operation): Promise<Result> {
  const measure = (clients: number) => async () => sum(await spentOn(pid, operation, clients));
  const { one, many } = await medians(ROUNDS, { one: measure(1), many: measure(MANY_CLIENTS) });
  return {
    what: `${operation.what}, ${MANY_CLIENTS} clients`,
    value: many,
    unit: 'ms',
    against: { what: '1 client', value: one },
    goal: atMost(1.1),
  };
}

/** Measures the processor time of requests, in all processes together. */
export async function wholeSystem({ pid }: BenchStack): Promise<Section> {
  const receiver = await startReceiver();
  const silent = await newProduct();
  const posted = await newProduct();
  const { status } = await post(`/v1/products/${posted.id}/webhook`, { url: receiver.url });
  if (status !== 200) throw new Error(`The webhook was not set: ${status}`);
  // Creates many licenses, so that no two clients use the same one.
  const licensesOf = async (product: ProductView): Promise<LicenseView[]> => {
    const type = await newType(product, { max_seats: 0 });
    return Promise.all(Array.from({ length: LICENSES }, () => newLicense(type)));
  };
  const [unposted, events] = await Promise.all([licensesOf(silent), licensesOf(posted)]);
  let requests = 0;
  const next = (licenses: readonly LicenseView[]): string => licenses[(requests += 1) % LICENSES]?.key ?? '';
  const bound = newFingerprint();
  const client = app(silent);
  for (const { key } of unposted) await client.activate(key, bound);
  let activated = 0;
  const validate: Operation = { what: 'validate', goal: 2.5, request: () => client.validate(next(unposted), bound) };
  const operations: readonly Operation[] = [
    validate,
    { what: 're-activate', request: () => client.activate(next(unposted), bound) },
    { what: 'activate a new device, no webhook', goal: 7, request: () => client.activate(next(unposted), newFingerprint()) },
    {
      what: 'activate a new device, event delivered',
      goal: 16,
      request: () => {
        activated += 1;
        return app(posted).activate(next(events), newFingerprint());
      },
      // Each activation causes one event. In addition, each license of this product caused one event `license.created`.
      settled: () => until('every event is delivered', () => receiver.ids().length === activated + LICENSES, 120_000),
    },
  ];
  const results: Result[] = [];
  for (const operation of operations) results.push(...(await cost(pid, operation)));
  results.push(await withManyClients(pid, validate));
  await receiver.close();
  return {
    title: 'Processor time of the whole system',
    how: `The processor time of one request, summed over all processes and threads of the local stack. The values are medians of ${ROUNDS} rounds of ${REQUESTS} requests, after ${WARM_UP.toLocaleString('en-US')} requests that are not measured. Unless stated otherwise, ${CLIENTS} requests are in progress at the same time. The client and the receiver are not counted. \`main thread\` runs the gateway, IAM and the pollers of the queue. \`dynoxide\` is the table. \`node\` means V8's own threads, which compile code and free memory.`,
    results,
  };
}
