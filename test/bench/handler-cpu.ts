import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { bundle } from '../../infra/bundle';
import { app, newFingerprint, newLicense, newProduct, newType } from '../support/http';
import type { Kind, Subject, Turn } from './handler-cpu-child';
import type { BenchStack } from './bench-stack';
import { atMost, type Result, type Section } from './report';
import { inTurns, median } from './rounds';

const ROUNDS = 15;
const CALLS = 150;
/** The number of calls before the measurement. After these calls all code is compiled, as in a function that has run for a while. */
const WARM_UP = 1000;

const RAW = 'test/bench/baseline/raw.ts';
const files: Readonly<Record<Kind, string>> = {
  validate: 'lambdas/api/validate.ts',
  're-activate': 'lambdas/api/activate.ts',
  activate: 'lambdas/api/activate.ts',
  read: RAW,
  'read, write and send': RAW,
};
const kinds = Object.keys(files) as Kind[];

/** The baseline for a request: it makes only the SDK calls that the request requires. */
const least = (kind: Kind): Kind => (kind === 'activate' ? 'read, write and send' : 'read');

/** Compares the processor time of handlers with that of their baselines, which make only the necessary SDK calls. */
export async function handlerCpu(stack: BenchStack): Promise<Section> {
  const product = await newProduct();
  const type = await newType(product, { max_seats: 0 });
  const licenses = await Promise.all(Array.from({ length: 50 }, () => newLicense(type)));
  const fingerprint = newFingerprint();
  await Promise.all(licenses.map(({ key }) => app(product).activate(key, fingerprint)));
  const subject: Subject = { product, keys: licenses.map(({ key }) => key), fingerprint };

  const folders = bundle([...new Set(Object.values(files))], { sourceMaps: false });
  const env = { PATH: process.env['PATH'], AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', ...stack.env };
  const children = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      // The child's output is hidden, because it only contains the usual metrics of functions.
      fork(resolve(__dirname, 'handler-cpu-child.ts'), [kind, folders.get(files[kind]) ?? ''], {
        execArgv: ['--import', 'tsx'],
        env,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    ]),
  ) as Record<Kind, ChildProcess>;
  const ended = new AbortController();
  for (const [kind, child] of Object.entries(children)) child.once('exit', () => ended.abort(new Error(`${kind} has ended`)));
  const turn = async (kind: Kind, calls: number): Promise<number> => {
    children[kind].send({ subject, calls } satisfies Turn);
    const [cost] = (await once(children[kind], 'message', { signal: ended.signal })) as [number];
    return cost;
  };
  for (const kind of kinds) await turn(kind, WARM_UP);
  const costs = await inTurns(
    ROUNDS,
    Object.fromEntries(kinds.map((kind) => [kind, () => turn(kind, CALLS)])) as Record<Kind, () => Promise<number>>,
  );
  for (const child of Object.values(children)) child.removeAllListeners('exit').kill();

  const result = (kind: Kind): Result => ({
    what: kind,
    value: median(costs[kind]),
    unit: 'µs',
    against: { what: `SDK: ${least(kind)}`, value: median(costs[least(kind)]) },
    goal: atMost(1.3),
  });
  return {
    title: 'Processor time of a request',
    how: `Each bundled handler is compared with a function that only makes the handler's necessary SDK calls, with the SDK's unchanged document client and items of the same size. Each of the two runs in its own process, and their measurements alternate. The values are medians of ${ROUNDS} rounds of ${CALLS} calls. DynamoDB runs in another process and is not counted.`,
    results: (['validate', 're-activate', 'activate'] as const).map(result),
  };
}
