import { startOfRun } from '../support/start';

/**
 * If this test fails, the start time of the test clocks does not change from day to day. Then a test that depends on the time of day could
 * fail only for people who run it at that time.
 */

const DAY = 86_400_000;

test.each(['2026-11-23T00:00:00.000Z', '2026-12-31T23:59:59.999Z', '2028-02-29T12:34:56.789Z'])(
  'from %s on, the test clocks of four days start at four different kinds of times, none of them in the past',
  (from) => {
    const days = [0, 1, 2, 3].map((days) => Date.parse(from) + days * DAY);
    const starts = days.map(startOfRun);
    starts.forEach((start, place) => expect(start === undefined ? Infinity : Date.parse(start)).toBeGreaterThan(days[place]!));
    const kinds = starts.map((start) =>
      start === undefined ? 'the real time' : start.replace(/^\d{4}-(?!12-31|02-28)\d\d-\d\d|^\d{4}-/, ''),
    );
    expect(kinds.sort()).toEqual(['02-28T12:00:00.321Z', '12-31T23:59:50.321Z', 'T21:30:00.321Z', 'the real time']);
  },
);
