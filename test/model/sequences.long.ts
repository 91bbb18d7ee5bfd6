import { captureLogs } from '../support/logs';
import { startReceiver, type Receiver } from '../support/receiver';
import { longRun, tell } from './runs';
import { playSequences } from './sequences';

captureLogs();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test('whatever is done, in whatever order: the service answers, records and tells what the specification says', async () => {
  const runs = longRun(2000);
  tell(`Sequences: LKS_SEED=${runs.seed}`);
  const began = performance.now();
  const { outcomes, ...played } = await playSequences(runs, receiver);
  tell(`Sequences: ${JSON.stringify(played)} in ${Math.round((performance.now() - began) / 1000)} s`);
  for (const [outcome, count] of [...outcomes].sort()) tell(`  ${outcome}: ${count}`);
});
