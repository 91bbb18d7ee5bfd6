import { captureLogs } from '../support/logs';
import { closeShops } from '../support/shop';
import { shortRun } from './runs';
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

test(
  'if 20 devices activate at once, as many succeed as the license has seats, even with faults; a 503 comes only after the whole time for retries',
  () => playSeatStorms(shortRun(3), 20),
  240_000,
);

test(
  'if 12 devices activate at once, as many succeed as there are free seats and ended leases, and each ended lease is freed once',
  () => playLeaseStorms(shortRun(3), 12),
  240_000,
);

test('16 first activations at once, even with faults, start one term', () => playTermStorms(shortRun(2), 16), 240_000);

test(
  'if 16 devices replace other devices at once, each seat goes to one device, and no more seats are taken than the license has',
  () => playReplacementStorms(shortRun(3), 16),
  240_000,
);

test('12 requests of one device at once get one trial', () => playTrialStorms(shortRun(2), 12), 240_000);

test(
  'a suspension, a new number of seats or a new key is effective when the operator gets the response, even if many devices activate meanwhile',
  () => playOperatedStorms(shortRun(4), 12),
  240_000,
);

test(
  '16 requests in as many function instances consume no more than is included, each id once, also while the license is renewed, corrected or moved to another plan',
  () => playConsumerStorms(shortRun(8), 16),
  240_000,
);
