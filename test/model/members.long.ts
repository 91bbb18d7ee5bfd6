import { captureLogs } from '../support/logs';
import { playMembers } from './members';
import { longRun, print } from './runs';

captureLogs();

test('whoever adds and removes members, approves, denies and frees at the same time: no seat and no device is given twice or lost', async () => {
  const runs = longRun(1000);
  print(`Members: LKS_SEED=${runs.seed}`);
  await playMembers(runs);
});
