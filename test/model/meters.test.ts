import { captureLogs } from '../support/logs';
import { closeShops } from '../support/shop';
import { playMeters } from './meters';
import { shortRun } from './runs';

captureLogs();
afterEach(closeShops);

test(
  'any consumptions, returns, corrections, renewals and changes of plan lead to the number that the specification says',
  () => playMeters(shortRun(3)),
  240_000,
);
