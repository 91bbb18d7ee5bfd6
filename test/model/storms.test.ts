import { captureLogs } from '../support/logs';
import { closeShops } from '../support/shop';
import { crowdOf, runsOf } from './runs';
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

test('if many devices activate at once, as many succeed as the license has seats, even with faults; a 503 comes only after the whole time for retries', () =>
  playSeatStorms(runsOf(3, 200), crowdOf(20, 64)));

test('if many devices activate at once, as many succeed as there are free seats and ended leases, and each ended lease is freed once', () =>
  playLeaseStorms(runsOf(3, 200), crowdOf(12, 64)));

test('many first activations at once, even with faults, start one term', () => playTermStorms(runsOf(2, 200), crowdOf(16, 64)));

test('if many devices replace other devices at once, each seat goes to one device, and no more seats are taken than the license has', () =>
  playReplacementStorms(runsOf(3, 200), crowdOf(16, 64)));

test('many requests of one device at once get one trial', () => playTrialStorms(runsOf(2, 200), crowdOf(12, 32)));

test('a suspension, a new number of seats or a new key is effective when the operator gets the response, even if many devices activate meanwhile', () =>
  playOperatedStorms(runsOf(4, 400), crowdOf(12, 64)));

test('many requests in as many function instances consume no more than is included, each id once, also while the license is renewed, corrected or moved to another plan', () =>
  playConsumerStorms(runsOf(8, 400), crowdOf(16, 64)));
