import type { LicenseView, ProductView } from '../../lambdas/contract/resources';
import { app, newFingerprint, newLicense, newProduct, newType, post, type Answer } from '../support/http';
import { startReceiver } from '../support/receiver';
import type { StackAddresses } from '../support/stack-addresses';
import { until } from '../support/until';
import { processorTimes, spentBetween } from './processor-time';
import { atMost, type Result, type Section } from './report';

/** The number of requests before the measurement starts. */
const WARM_UP = 400;
const REQUESTS = 600;
/** The number of simultaneous requests. */
const CLIENTS = 4;
const LICENSES = 64;
/** A limit in ms. Threads that use less processor time per request than the limit are shown together. */
const SMALL_MS = 0.1;

interface Operation {
  readonly what: string;
  /** The goal for the processor time, in milliseconds. */
  readonly goal?: number;
  readonly request: () => Promise<Answer<unknown>>;
  /** Resolves when all effects of the previous requests are done, such as deliveries. */
  readonly settled?: () => Promise<unknown>;
}

async function times(count: number, { request, settled, what }: Operation): Promise<void> {
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      const { status, text } = await request();
      if (status !== 200) throw new Error(`${what}: ${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await settled?.();
}

/** The processor time of a request, over all processes and threads of the local stack. */
async function cost(pid: number, operation: Operation): Promise<Result[]> {
  await times(WARM_UP, operation);
  const before = processorTimes(pid);
  await times(REQUESTS, operation);
  const spent = [...spentBetween(before, processorTimes(pid))]
    .map(([thread, ms]) => ({ thread, ms: ms / REQUESTS }))
    .sort((a, b) => b.ms - a.ms);
  const sum = (parts: readonly { ms: number }[]): number => parts.reduce((total, { ms }) => total + ms, 0);
  const { what, goal } = operation;
  return [
    { what, value: sum(spent), unit: 'ms', ...(goal !== undefined && { goal: atMost(goal) }) },
    ...spent.filter(({ ms }) => ms >= SMALL_MS).map(({ thread, ms }): Result => ({ what: `– of which ${thread}`, value: ms, unit: 'ms' })),
    { what: '– of which others', value: sum(spent.filter(({ ms }) => ms < SMALL_MS)), unit: 'ms' },
  ];
}

/** Measures the processor time of requests, in all processes together. */
export async function wholeSystem({ pid }: StackAddresses): Promise<Section> {
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
  const operations: readonly Operation[] = [
    { what: 'validate', goal: 2.5, request: () => client.validate(next(unposted), bound) },
    { what: 're-activate', request: () => client.activate(next(unposted), bound) },
    { what: 'activate a new device, no webhook', goal: 7, request: () => client.activate(next(unposted), newFingerprint()) },
    {
      what: 'activate a new device, event delivered',
      goal: 16,
      request: () => {
        activated += 1;
        return app(posted).activate(next(events), newFingerprint());
      },
      // For each license, a `license.created` event was delivered in addition to the activation.
      settled: () => until('every event is delivered', () => receiver.ids().length === activated + LICENSES, 120_000),
    },
  ];
  const results: Result[] = [];
  for (const operation of operations) results.push(...(await cost(pid, operation)));
  await receiver.close();
  return {
    title: 'Processor time of the whole system',
    how: `One request, summed over all processes and threads of the local stack, with ${CLIENTS} under way at a time; the client and the receiver are not counted. \`main thread\` is the gateway, IAM and what takes messages from the queue; \`dynoxide\` the table; \`node\` what V8 does on threads of its own: it compiles, and frees memory.`,
    results,
  };
}
