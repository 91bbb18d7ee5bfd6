import { captureLogs } from '../support/logs';
import { closeShops } from '../support/shop';
import { playMeterBursts, playMeters } from './meters';
import { longRun } from './runs';

captureLogs();
afterEach(closeShops);

test('any consumptions, returns, corrections, renewals and changes of plan lead to the number that the specification says', () =>
  playMeters(longRun(300)));

test('an order of the requests explains what simultaneous consumptions, returns, corrections, renewals and changes of plan count', () =>
  playMeterBursts(longRun(1000)));
