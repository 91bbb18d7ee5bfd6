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
/** Processes of each kind. V8 compiles the same code differently in each process, which changes the processor time by up to a fifth. */
const PROCESSES = 5;
const CALLS = 50;
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
  const ended = new AbortController();
  const start = (kind: Kind): ChildProcess => {
    // The child's output is hidden, because it only contains the usual metrics of functions.
    const child = fork(resolve(__dirname, 'handler-cpu-child.ts'), [kind, folders.get(files[kind]) ?? ''], {
      execArgv: ['--import', 'tsx'],
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return child.once('exit', () => ended.abort(new Error(`${kind} has ended`)));
  };
  const children = Object.fromEntries(kinds.map((kind) => [kind, Array.from({ length: PROCESSES }, () => start(kind))])) as Record<
    Kind,
    ChildProcess[]
  >;
  const cost = async (child: ChildProcess, calls: number): Promise<number> => {
    child.send({ subject, calls } satisfies Turn);
    const [value] = (await once(child, 'message', { signal: ended.signal })) as [number];
    return value;
  };
  for (const child of Object.values(children).flat()) await cost(child, WARM_UP);
  /** The processor time of a call: the median of the kind's processes. */
  const turn = async (kind: Kind): Promise<number> => {
    const values: number[] = [];
    for (const child of children[kind]) values.push(await cost(child, CALLS));
    return median(values);
  };
  const costs = await inTurns(
    ROUNDS,
    Object.fromEntries(kinds.map((kind) => [kind, () => turn(kind)])) as Record<Kind, () => Promise<number>>,
  );
  for (const child of Object.values(children).flat()) child.removeAllListeners('exit').kill();

  const result = (kind: Kind): Result => ({
    what: kind,
    value: median(costs[kind]),
    unit: 'µs',
    against: { what: `SDK: ${least(kind)}`, value: median(costs[least(kind)]) },
    goal: atMost(1.3),
  });
  return {
    title: 'Processor time of a request',
    how: `Each bundled handler is compared with a function that only makes the handler's necessary SDK calls, with the SDK's unchanged document client and items of the same size. Each of the two runs in ${PROCESSES} processes of its own, and their measurements alternate. The values are medians of ${ROUNDS} rounds of ${CALLS} calls of each process. DynamoDB runs in another process and is not counted.`,
    results: (['validate', 're-activate', 'activate'] as const).map(result),
  };
}
