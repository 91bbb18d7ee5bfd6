import { captureLogs } from '../support/logs';
import { startReceiver, type Receiver } from '../support/receiver';
import { longRun, print } from './runs';
import { playSequences } from './sequences';

captureLogs();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test('any operations in any order: the service responds, records and reports what the specification says', async () => {
  const runs = longRun(2000);
  print(`Sequences: LKS_SEED=${runs.seed}`);
  const began = performance.now();
  const { outcomes, ...played } = await playSequences(runs, receiver);
  print(`Sequences: ${JSON.stringify(played)} in ${Math.round((performance.now() - began) / 1000)} s`);
  for (const [outcome, count] of [...outcomes].sort()) print(`  ${outcome}: ${count}`);
});
