import { endpoints } from '../../lambdas/contract';
import { captureLogs } from '../support/logs';
import { startReceiver, type Receiver } from '../support/receiver';
import { endpointCommands } from './commands';
import { report, runsOf } from './runs';
import { playSequences } from './sequences';

captureLogs();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test('every command belongs to an endpoint', () => {
  const names = endpoints.map(({ name }) => name);
  expect(Object.keys(endpointCommands).filter((name) => !names.includes(name))).toEqual([]);
});

test('any operations in any order: the service responds, records and reports what the specification says', async () => {
  const runs = runsOf(8, 2000);
  const played = await playSequences(runs, receiver);
  report(played);
  expect(played.sequences).toBe(runs.count);
});
