import { captureLogs } from '../support/logs';
import { startReceiver, type Receiver } from '../support/receiver';
import { playInterleavings } from './interleavings';
import { shortRun } from './runs';

captureLogs();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test('with anything that happens at the same time, fails and dies: responses, seats and events have an order that explains them, and everything is delivered', async () => {
  const { runs } = await playInterleavings(shortRun(4), receiver);
  expect(runs).toBe(4);
});
