import { captureLogs } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { playPortals } from './portal';
import { longRun, print } from './runs';

captureLogs();
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.close());

test('any actions of buyers and vendors in any order: a session shows the licenses of its buyer and no others, codes work once, and limits are kept', async () => {
  const runs = longRun(1000);
  print(`Portals: LKS_SEED=${runs.seed}`);
  const began = performance.now();
  const { outcomes, ...played } = await playPortals(runs, mail);
  print(`Portals: ${JSON.stringify(played)} in ${Math.round((performance.now() - began) / 1000)} s`);
  for (const [outcome, count] of [...outcomes].sort()) print(`  ${outcome}: ${count}`);
});
