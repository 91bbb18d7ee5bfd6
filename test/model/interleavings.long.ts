import { captureLogs } from '../support/logs';
import { startReceiver, type Receiver } from '../support/receiver';
import { playInterleavings } from './interleavings';
import { longRun, print } from './runs';

captureLogs();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test('with any simultaneous requests, faults and crashes: an order of the operations explains all responses, seats and events, and every event is delivered', async () => {
  const runs = longRun(500);
  print(`Interleavings: LKS_SEED=${runs.seed}`);
  const began = performance.now();
  const played = await playInterleavings(runs, receiver);
  print(`Interleavings: ${JSON.stringify(played)} in ${Math.round((performance.now() - began) / 1000)} s`);
});
