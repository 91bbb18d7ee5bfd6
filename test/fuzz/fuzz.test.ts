import { newShop } from '../support/http';
import { serveInProcess } from '../support/in-process';
import { startCampaign, successes, total, type Campaign } from './campaign';

/** Runs a short campaign with a fixed seed; `npm run test:long` runs long campaigns with other seeds. */

serveInProcess();

const SEED = 20261120;
let campaign: Campaign;
beforeAll(async () => {
  campaign = await startCampaign(3);
});
afterAll(() => campaign.close());

test('any request to a route gets a response that follows the document', async () => {
  await campaign.requests(60, SEED);
  // Some valid requests fail, for example because a name is taken, all seats are taken, or a license is revoked. These are about 40 requests,
  // and each new row of the contract draws others.
  expect(successes(total(campaign.sound))).toBeGreaterThan(0.5);
  // Nearly all requests to the portal would get 401 if their sessions were not valid.
  const ofPortal = [...total(new Map([...campaign.sound].filter(([name]) => /Portal/.test(name))))];
  const sum = (of: typeof ofPortal): number => of.reduce((all, [, times]) => all + times, 0);
  expect(sum(ofPortal.filter(([status]) => status === 401))).toBeLessThan(sum(ofPortal) / 2);
  expect([...total(campaign.twisted).keys()].sort()).toEqual(expect.arrayContaining([200, 401, 404, 422]));
});

test('any bytes: each connection gets a response in the usual format and is closed', async () => {
  await campaign.bytes(25, SEED);
  // The service still works afterwards.
  await newShop();
});
