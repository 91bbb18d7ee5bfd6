import { readdirSync, readFileSync } from 'node:fs';
import { longRun, print } from '../model/runs';
import { until } from '../support/until';
import { show, startCampaign, successes, type Campaign } from './campaign';

/** A long campaign with a new seed each time. */

const runs = longRun(12_000);
let { seed } = runs;
print(`Fuzz: LKS_SEED=${seed}`);

let campaign: Campaign;
beforeAll(async () => {
  campaign = await startCampaign(16);
});
afterAll(async () => {
  print(
    `Valid requests:\n${show(campaign.sound)}\n\nRequests with one mistake:\n${show(campaign.twisted)}\n\nBytes:\n${show(campaign.raw)}\n\n${campaign.total()} answers`,
  );
  await campaign.close();
});

/** Memory and open files of the stack's process, as Linux reports them. */
const stack = `/proc/${process.env['LKS_STACK_PID']}`;
const handles = (): number => readdirSync(`${stack}/fd`).length;
const megabytes = (): number => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`${stack}/status`, 'utf8'))?.[1]) / 1024;

test('thousands of requests and of broken ones: each answer is documented, most good requests succeed, and nothing piles up', async () => {
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
  // The code that confirms an address is in a mail.
  const counted = [...campaign.sound].filter(([name]) => name !== 'confirmPortalEmail');
  for (const [name, counts] of counted) expect({ name, fewSucceed: successes(counts) < 0.3 }).toEqual({ name, fewSucceed: false });
  const [first, last] = [held[0], held.at(-1)];
  if (!first || !last) return;
  // All function instances are running after the first quarter of the campaign, so later growth of memory is a leak.
  expect(last.megabytes).toBeLessThan(first.megabytes * 2);
  await until('the connections are gone', () => handles() < first.handles + 100);
}, 7_200_000);
