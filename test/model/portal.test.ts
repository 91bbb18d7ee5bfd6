import { captureLogs } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { playPortals } from './portal';
import { shortRun } from './runs';

captureLogs();
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.close());

test('any actions of buyers and vendors in any order: a session shows the licenses of its buyer and no others, codes work once, and limits are kept', async () => {
  const { histories } = await playPortals(shortRun(5), mail);
  expect(histories).toBe(5);
});
