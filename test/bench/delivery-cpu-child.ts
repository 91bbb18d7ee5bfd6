/**
 * A process that holds the delivery function, or the calls that it can't do without, and says what delivering an event
 * costs in processor time. `delivery-cpu-child.ts <folder of the bundle>`; asked and answered by messages.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type * as Bare from './baseline/delivery';

/** Batches of events to deliver, as the queue hands them out. */
export interface Batches {
  readonly url: string;
  readonly batches: readonly (readonly string[])[];
}

const bundle: unknown = createRequire(__filename)(join(process.argv[2] ?? '', 'index.js'));

async function deliver(url: string, ids: readonly string[]): Promise<void> {
  if ('deliver' in (bundle as object)) return (bundle as typeof Bare).deliver(url, ids);
  const event = { Records: ids.map((id) => ({ messageId: id, body: JSON.stringify({ event_id: id }) })) };
  const { batchItemFailures } = await (bundle as { handler: (event: SQSEvent) => Promise<SQSBatchResponse> }).handler(event as SQSEvent);
  if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} messages of the batch failed`);
}

/** Microseconds of processor time an event. */
async function turn({ url, batches }: Batches): Promise<number> {
  const before = process.cpuUsage();
  for (const ids of batches) await deliver(url, ids);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / batches.flat().length;
}

process.on('message', (message: Batches) => {
  turn(message).then(
    (cost) => process.send?.(cost),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
