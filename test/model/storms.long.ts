import { captureLogs } from '../support/logs';
import { closeShops } from '../support/shop';
import { longRun, print, type Runs } from './runs';
import {
  playConsumerStorms,
  playLeaseStorms,
  playOperatedStorms,
  playReplacementStorms,
  playSeatStorms,
  playTermStorms,
  playTrialStorms,
} from './storms';

captureLogs();
afterEach(closeShops);

const runs = (of: string, count: number): Runs => {
  const drawn = longRun(count);
  print(`Storms of ${of}: ${drawn.count} with LKS_SEED=${drawn.seed}`);
  return drawn;
};

test('if 64 devices activate at once, as many succeed as the license has seats, even with faults; a 503 comes only after the whole time for retries', () =>
  playSeatStorms(runs('seats', 200), 64));

test('if 64 devices activate at once, as many succeed as there are free seats and ended leases, and each ended lease is freed once', () =>
  playLeaseStorms(runs('leases', 200), 64));

test('64 first activations at once, even with faults, start one term', () => playTermStorms(runs('terms', 200), 64));

test('if 64 devices replace other devices at once, each seat goes to one device, and no more seats are taken than the license has', () =>
  playReplacementStorms(runs('replacements', 200), 64));

test('32 requests of one device at once get one trial', () => playTrialStorms(runs('trials', 200), 32));

test('a suspension, a new number of seats or a new key is effective when the operator gets the response, even if many devices activate meanwhile', () =>
  playOperatedStorms(runs('an operator', 400), 64));

test('64 requests in as many function instances consume no more than is included, each id once, also while the license is renewed, corrected or moved to another plan', () =>
  playConsumerStorms(runs('consumptions', 400), 64));
