import { captureLogs } from '../support/logs';
import { startReceiver, type Receiver } from '../support/receiver';
import { playInterleavings } from './interleavings';
import { report, runsOf } from './runs';

captureLogs();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test('with any simultaneous requests, faults and crashes: an order of the operations explains all responses, seats and events, and every event is delivered', async () => {
  const runs = runsOf(4, 500);
  const played = await playInterleavings(runs, receiver);
  report(played);
  expect(played.runs).toBe(runs.count);
});
