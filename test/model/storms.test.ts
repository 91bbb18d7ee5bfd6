import { captureLogs } from '../support/logs';
import { closeShops } from '../support/shop';
import { shortRun } from './runs';
import { playStorms } from './storms';

captureLogs();
afterEach(closeShops);

test('of 64 machines that activate at once, as many get in as there are seats, through faults too; 503 is the answer only to who has waited his time', () => playStorms(shortRun(3), 64), 240_000);
