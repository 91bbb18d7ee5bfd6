/** Runs handlers and the calls that they can't do without in one process of its own, whose processor time tells what each costs. */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Raw from './baseline/raw';
import { licenseKey } from '../../lambdas/store/keys';
import { gatewayEvent } from './gateway-event';
import { inTurns, median } from './rounds';

export interface Task {
  /** Folders of the bundles. */
  readonly folders: Readonly<Record<'validate' | 'activate' | 'raw', string>>;
  readonly productId: number;
  readonly apiKey: string;
  /** Licenses without a limit of seats. */
  readonly keys: readonly string[];
  /** Bound to each of them. */
  readonly fingerprint: string;
}

/** Microseconds of processor time a call, by what was called. */
export type Costs = Readonly<Record<'validate' | 'read' | 're-activate' | 'activate' | 'read, write and send', { readonly cost: number; readonly ratio: number }>>;

const ROUNDS = 15;
const CALLS = 200;

type Handler = (event: object, context: object) => Promise<{ statusCode: number; body: string }>;
const load = <Module>(folder: string): Module => createRequire(__filename)(join(folder, 'index.js')) as Module;

async function main({ folders, productId, apiKey, keys, fingerprint }: Task): Promise<void> {
  const validate = load<{ handler: Handler }>(folders.validate).handler;
  const activate = load<{ handler: Handler }>(folders.activate).handler;
  const raw = load<typeof Raw>(folders.raw);
  let place = 0;
  const nextKey = (): string => keys[(place += 1) % keys.length] ?? '';
  const call = async (handler: Handler, name: string, request: { query?: Record<string, string>; body?: object }): Promise<void> => {
    const answer = await handler(gatewayEvent({ id: productId, api_key: apiKey }, name, request), { awsRequestId: 'bench' });
    if (answer.statusCode !== 200) throw new Error(`${name} answered ${answer.statusCode}: ${answer.body}`);
  };
  const newPrint = (): string => randomBytes(32).toString('hex');
  const sequences = new Map<string, number>();

  const measures = {
    validate: () => call(validate, 'validate', { query: { key: nextKey(), fingerprint } }),
    read: () => raw.read(licenseKey(productId, nextKey()).pk, fingerprint),
    're-activate': () => call(activate, 'activate', { body: { key: nextKey(), fingerprint, name: "Ada's MacBook", platform: 'darwin' } }),
    activate: () => call(activate, 'activate', { body: { key: nextKey(), fingerprint: newPrint(), name: "Ada's MacBook", platform: 'darwin' } }),
    'read, write and send': async () => {
      const pk = `LICENSE#RAW#${nextKey()}`;
      const print = newPrint();
      const sequence = sequences.get(pk) ?? 0;
      await raw.read(pk, print);
      await raw.write(pk, print, sequence);
      sequences.set(pk, sequence + 1);
      await raw.send();
    },
  };
  const timed = (once: () => Promise<void>) => async (): Promise<number> => {
    const before = process.cpuUsage();
    for (let i = 0; i < CALLS; i += 1) await once();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / CALLS;
  };
  const found = await inTurns(ROUNDS, Object.fromEntries(Object.entries(measures).map(([name, once]) => [name, timed(once)])) as Record<keyof Costs, () => Promise<number>>);
  const least = (name: keyof Costs): keyof Costs => (name === 'activate' ? 'read, write and send' : 'read');
  const costs = Object.fromEntries(
    (Object.keys(found) as (keyof Costs)[]).map((name) => [
      name,
      { cost: median(found[name]), ratio: median(found[name].map((cost, round) => cost / (found[least(name)][round] ?? Number.NaN))) },
    ]),
  ) as Costs;
  process.send?.(costs, () => process.exit(0));
}

process.once('message', (task: Task) => {
  main(task).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
