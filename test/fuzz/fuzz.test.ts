import { newShop } from '../support/http';
import { serveInProcess } from '../support/in-process';
import { startCampaign, successes, total, type Campaign } from './campaign';

/** A short campaign that is the same every time; `npm run test:long` continues with others. */

serveInProcess();

const SEED = 20261120;
let campaign: Campaign;
beforeAll(async () => {
  campaign = await startCampaign(3);
});
afterAll(() => campaign.close());

test('any request to a route: its response is one that the document tells of', async () => {
  await campaign.requests(60, SEED);
  // Of the requests that are as they should be, only those fail that find names taken, seats full, licenses revoked.
  expect(successes(total(campaign.sound))).toBeGreaterThan(0.7);
  // Those to the portal have a session that is live.
  const ofPortal = new Map([...campaign.sound].filter(([name]) => /Portal/.test(name)));
  expect(successes(total(ofPortal))).toBeGreaterThan(0.5);
  expect([...total(campaign.twisted).keys()].sort()).toEqual(expect.arrayContaining([200, 401, 404, 422]));
});

test('any bytes that come in: each connection is answered in the usual shape and closed', async () => {
  await campaign.bytes(25, SEED);
  // And the service continues as if nothing had been.
  await newShop();
});
