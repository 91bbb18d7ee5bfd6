import { captureLogs } from '../support/logs';
import { closeShops } from '../support/shop';
import { playMeterBursts, playMeters } from './meters';
import { shortRun } from './runs';

captureLogs();
afterEach(closeShops);

test(
  'any consumptions, returns, corrections, renewals and changes of plan lead to the number that the specification says',
  () => playMeters(shortRun(3)),
  240_000,
);

test(
  'an order of the requests explains what simultaneous consumptions, returns, corrections, renewals and changes of plan count',
  () => playMeterBursts(shortRun(10)),
  240_000,
);
