import { captureLogs } from '../support/logs';
import { startReceiver, type Receiver } from '../support/receiver';
import { playInterleavings } from './interleavings';
import { longRun, tell } from './runs';

captureLogs();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test('whatever happens at the same time, fails and dies: answers, seats and events have an order that explains them, and everything is told', async () => {
  const runs = longRun(500);
  tell(`Interleavings: LKS_SEED=${runs.seed}`);
  const began = performance.now();
  const played = await playInterleavings(runs, receiver);
  tell(`Interleavings: ${JSON.stringify(played)} in ${Math.round((performance.now() - began) / 1000)} s`);
});
