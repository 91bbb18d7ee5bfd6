import { captureLogs } from '../support/logs';
import { closeShops } from '../support/shop';
import { longRun, print, type Runs } from './runs';
import { playLeaseStorms, playOperatedStorms, playReplacementStorms, playSeatStorms, playTermStorms, playTrialStorms } from './storms';

captureLogs();
afterEach(closeShops);

const runs = (of: string, count: number): Runs => {
  const drawn = longRun(count);
  print(`Storms of ${of}: ${drawn.count} with LKS_SEED=${drawn.seed}`);
  return drawn;
};

test('of 64 devices that activate at once, as many succeed as there are seats, even with faults; 503 only after the whole time for retries', () =>
  playSeatStorms(runs('seats', 200), 64));

test('of 64 devices at once, as many succeed as there are free seats and ended leases, each of which is freed once', () =>
  playLeaseStorms(runs('leases', 200), 64));

test('64 first activations at once, even with faults, start one term', () => playTermStorms(runs('terms', 200), 64));

test('of 64 devices that replace others at once, each seat goes to one, and no more are taken than there are', () =>
  playReplacementStorms(runs('replacements', 200), 64));

test('32 requests of one device at once get one trial', () => playTrialStorms(runs('trials', 200), 32));

test('a suspension, new seats and a new key apply from their response on, no matter how many devices activate meanwhile', () =>
  playOperatedStorms(runs('an operator', 400), 64));
