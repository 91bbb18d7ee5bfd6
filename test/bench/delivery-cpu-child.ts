/**
 * `delivery-cpu-child.ts <folder of the bundle>`: a child process that runs a bundle and reports the processor time per delivered event.
 * The bundle is the delivery function or its baseline (baseline/delivery.ts). Parent and child communicate by messages.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type * as Bare from './baseline/delivery';
import { cpuTime, respondWith } from './cpu-child';

/** Batches of events in the format in which SQS passes them to Lambda. */
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

/** Replies with the processor time per event, in microseconds. */
respondWith(async ({ url, batches }: Batches) => {
  const cost = await cpuTime(async () => {
    for (const ids of batches) await deliver(url, ids);
  });
  return cost / batches.flat().length;
});
