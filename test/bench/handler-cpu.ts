import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { bundle } from '../../infra/bundle';
import { app, newFingerprint, newLicense, newProduct, newType } from '../support/http';
import type { Costs, Task } from './handler-cpu-child';
import { atMost, type Section } from './report';
import { environmentOf, type StackAddresses } from '../support/stack-addresses';

const FILES = { validate: 'lambdas/api/validate.ts', activate: 'lambdas/api/activate.ts', raw: 'test/bench/baseline/raw.ts' };

/** The processor time of handlers against that of the SDK calls that they can't do without. */
export async function handlerCpu(stack: StackAddresses): Promise<Section> {
  const product = await newProduct();
  const type = await newType(product, { max_seats: 0 });
  const licenses = await Promise.all(Array.from({ length: 50 }, () => newLicense(type)));
  const fingerprint = newFingerprint();
  await Promise.all(licenses.map(({ key }) => app(product).activate(key, fingerprint)));

  const folders = bundle(Object.values(FILES), { sourceMaps: false });
  const folderOf = (name: keyof typeof FILES): string => folders.get(FILES[name]) ?? '';
  const task: Task = {
    folders: { validate: folderOf('validate'), activate: folderOf('activate'), raw: folderOf('raw') },
    productId: product.id,
    apiKey: product.api_key,
    keys: licenses.map(({ key }) => key),
    fingerprint,
  };
  // Its output is that of functions: the metrics.
  const child = fork(resolve(__dirname, 'handler-cpu-child.ts'), { execArgv: ['--import', 'tsx'], env: { PATH: process.env['PATH'], AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', ...environmentOf(stack, 'activate') }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.send(task);
  const [costs] = (await Promise.race([once(child, 'message'), once(child, 'exit').then(([code]) => Promise.reject(new Error(`The handlers ended with ${code}`)))])) as [Costs];

  const result = (what: keyof Costs, least: keyof Costs) => ({
    what,
    value: costs[what].cost,
    unit: 'µs',
    against: { what: `SDK: ${least}`, value: costs[what].cost / costs[what].ratio },
    goal: atMost(1.3),
  });
  return {
    title: 'Processor time of a request',
    how: 'The bundled handlers against the bare SDK calls that they must make (its document client as it comes, items of the same size), in turns in one process; medians of 15 rounds of 200 calls. DynamoDB runs in another process and is not counted.',
    results: [result('validate', 'read'), result('re-activate', 'read'), result('activate', 'read, write and send')],
  };
}
