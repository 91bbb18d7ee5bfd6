import { captureLogs } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { playPortals } from './portal';
import { report, runsOf } from './runs';

captureLogs();
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.close());

test('any actions of buyers and vendors in any order: a session shows the licenses of its buyer and no others, codes work once, and limits are kept', async () => {
  const runs = runsOf(5, 1000);
  const played = await playPortals(runs, mail);
  report(played);
  expect(played.histories).toBe(runs.count);
});
