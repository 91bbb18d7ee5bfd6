import { endpoints } from '../../lambdas/contract';
import { captureLogs } from '../support/logs';
import { startReceiver, type Receiver } from '../support/receiver';
import { endpointCommands } from './commands';
import { shortRun } from './runs';
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
  const { sequences } = await playSequences(shortRun(8), receiver);
  expect(sequences).toBe(8);
});
