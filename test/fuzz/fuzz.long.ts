import { readdirSync, readFileSync } from 'node:fs';
import { longRun, print } from '../model/runs';
import { until } from '../support/until';
import { show, startCampaign, successes, type Campaign } from './campaign';

/** Runs a long campaign with a new seed each time. */

const runs = longRun(12_000);
let { seed } = runs;
print(`Fuzz: LKS_SEED=${seed}`);

let campaign: Campaign;
beforeAll(async () => {
  campaign = await startCampaign(16);
});
afterAll(async () => {
  print(
    `Valid requests:\n${show(campaign.sound)}\n\nRequests with one mistake:\n${show(campaign.twisted)}\n\nBytes:\n${show(campaign.raw)}\n\n${campaign.total()} responses`,
  );
  await campaign.close();
});

/** Memory and open files of the stack's process, as Linux reports them. */
const stack = `/proc/${process.env['LKS_STACK_PID']}`;
const handles = (): number => readdirSync(`${stack}/fd`).length;
const megabytes = (): number => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`${stack}/status`, 'utf8'))?.[1]) / 1024;

test('thousands of valid and invalid requests: each response is documented, most valid requests succeed, and nothing leaks', async () => {
  const held: { handles: number; megabytes: number }[] = [];
  for (let next = 0.25; next <= 1; next += 0.25) {
    while (campaign.total() < runs.count * next) {
      seed += 1;
      await campaign.requests(200, seed);
      await campaign.bytes(60, seed);
    }
    if (process.platform === 'linux') held.push({ handles: handles(), megabytes: Math.round(megabytes()) });
  }
  print(`Fuzz: ${JSON.stringify(held)}`);
  // `confirmPortalEmail` needs a code that is only in a mail, so its requests can't succeed.
  const counted = [...campaign.sound].filter(([name]) => name !== 'confirmPortalEmail');
  for (const [name, counts] of counted) expect({ name, fewSucceed: successes(counts) < 0.3 }).toEqual({ name, fewSucceed: false });
  const [first, last] = [held[0], held.at(-1)];
  if (!first || !last) return;
  // All function instances are running after the first quarter of the campaign, so later growth of memory is a leak.
  expect(last.megabytes).toBeLessThan(first.megabytes * 2);
  await until('the connections are gone', () => handles() < first.handles + 100);
}, 7_200_000);
