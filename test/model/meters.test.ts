import { captureLogs } from '../support/logs';
import { closeShops } from '../support/shop';
import { playMeterBursts, playMeters } from './meters';
import { runsOf } from './runs';

captureLogs();
afterEach(closeShops);

test('any consumptions, returns, corrections, renewals and changes of plan lead to the number that the specification says', () =>
  playMeters(runsOf(3, 300)));

test('an order of the requests explains what simultaneous consumptions, returns, corrections, renewals and changes of plan count', () =>
  playMeterBursts(runsOf(10, 1000)));
