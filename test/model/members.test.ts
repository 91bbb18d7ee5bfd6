import { captureLogs } from '../support/logs';
import { playMembers } from './members';
import { runsOf } from './runs';

captureLogs();

test('whoever adds and removes members, approves, denies and frees at the same time: no seat and no device is given twice or lost', () =>
  playMembers(runsOf(12, 1000)));
