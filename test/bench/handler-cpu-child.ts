/**
 * `handler-cpu-child.ts <kind> <folder of the bundle>`: a child process that runs a bundle and reports the processor time per call. Parent
 * and child communicate by messages.
 */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { licenseKey } from '../../lambdas/store/keys';
import type * as Raw from './baseline/raw';
import { cpuTime, respondWith } from './cpu-child';
import { gatewayEvent } from './gateway-event';

/** The licenses and the device that the measured requests name. */
export interface Subject {
  readonly product: { readonly id: number; readonly api_key: string };
  /** Licenses without a maximum number of seats. */
  readonly keys: readonly string[];
  /** A device that is bound to each of these licenses. */
  readonly fingerprint: string;
}
export type Kind = 'validate' | 're-activate' | 'activate' | 'read' | 'read, write and send';
export interface Turn {
  readonly subject: Subject;
  readonly calls: number;
}

type Handler = (event: object, context: object) => Promise<{ statusCode: number; body: string }>;
type Call = (subject: Subject, key: string) => Promise<void>;

const [kind, folder = ''] = process.argv.slice(2) as [Kind, string?];
const bundle: unknown = createRequire(__filename)(join(folder, 'index.js'));
const newPrint = (): string => randomBytes(32).toString('hex');

async function handle({ product }: Subject, operation: string, request: { query?: Record<string, string>; body?: object }): Promise<void> {
  const answer = await (bundle as { handler: Handler }).handler(gatewayEvent(product, operation, request), {
    awsRequestId: 'bench',
    getRemainingTimeInMillis: () => 20_000,
  });
  if (answer.statusCode !== 200) throw new Error(`${operation} answered ${answer.statusCode}: ${answer.body}`);
}

const sequences = new Map<string, number>();
const labels = { name: "Ada's MacBook", platform: 'darwin' };
const calls: Readonly<Record<Kind, Call>> = {
  validate: (subject, key) => handle(subject, 'validate', { query: { key, fingerprint: subject.fingerprint } }),
  're-activate': (subject, key) => handle(subject, 'activate', { body: { key, fingerprint: subject.fingerprint, ...labels } }),
  activate: (subject, key) => handle(subject, 'activate', { body: { key, fingerprint: newPrint(), ...labels } }),
  read: ({ product, fingerprint }, key) => (bundle as typeof Raw).read(licenseKey(product.id, key).pk, fingerprint),
  'read, write and send': async (_, key) => {
    const { read, write, send } = bundle as typeof Raw;
    const pk = `LICENSE#RAW#${key}`;
    const print = newPrint();
    const sequence = sequences.get(pk) ?? 0;
    await read(pk, print);
    await write(pk, print, sequence);
    sequences.set(pk, sequence + 1);
    await send();
  },
};

/** The reply is the processor time per call, in microseconds. */
respondWith(async ({ subject, calls: count }: Turn) => {
  const cost = await cpuTime(async () => {
    for (let i = 0; i < count; i += 1) await calls[kind](subject, subject.keys[i % subject.keys.length] ?? '');
  });
  return cost / count;
});
