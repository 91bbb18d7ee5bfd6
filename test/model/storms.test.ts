import { captureLogs } from '../support/logs';
import { closeShops } from '../support/shop';
import { shortRun } from './runs';
import { playLeaseStorms, playOperatedStorms, playReplacementStorms, playSeatStorms, playTermStorms, playTrialStorms } from './storms';

captureLogs();
afterEach(closeShops);

test(
  'of 32 devices that activate at once, as many succeed as there are seats, even with faults; 503 only after the whole time for retries',
  () => playSeatStorms(shortRun(3), 32),
  240_000,
);

test(
  'of 32 devices at once, as many succeed as there are free seats and ended leases, each of which is freed once',
  () => playLeaseStorms(shortRun(3), 32),
  240_000,
);

test('60 first activations at once, even with faults, start one term', () => playTermStorms(shortRun(2), 60), 240_000);

test(
  'of 60 devices that replace others at once, each seat goes to one, and no more are taken than there are',
  () => playReplacementStorms(shortRun(3), 60),
  240_000,
);

test('16 requests of one device at once get one trial', () => playTrialStorms(shortRun(2), 16), 240_000);

test(
  'a suspension, new seats and a new key apply from their response on, no matter how many devices activate meanwhile',
  () => playOperatedStorms(shortRun(4), 16),
  240_000,
);
