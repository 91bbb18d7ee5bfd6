import fc from 'fast-check';
import { LAST_INSTANT, timestampInput } from '../../../lambdas/contract/text';

describe('a time is accepted in every form that RFC 3339 allows', () => {
  test.each<[string, string, string]>([
    ['UTC', '2027-01-31T00:00:00Z', '2027-01-31T00:00:00.000Z'],
    ['milliseconds', '2027-01-31T00:00:00.123Z', '2027-01-31T00:00:00.123Z'],
    ['one digit of a fraction', '2027-01-31T00:00:00.5Z', '2027-01-31T00:00:00.500Z'],
    ['more digits than milliseconds', '2027-01-31T00:00:00.123999Z', '2027-01-31T00:00:00.123Z'],
    ['lower-case t and z', '2027-01-31t12:30:00z', '2027-01-31T12:30:00.000Z'],
    ['an offset east', '2027-01-31T00:30:00+05:30', '2027-01-30T19:00:00.000Z'],
    ['an offset west', '2027-01-31T20:00:00-08:00', '2027-02-01T04:00:00.000Z'],
    ['an unknown local offset', '2027-01-31T00:00:00-00:00', '2027-01-31T00:00:00.000Z'],
    ['the widest offset', '2027-01-31T00:00:00+23:59', '2027-01-30T00:01:00.000Z'],
    ['a leap day', '2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['a leap day of a century', '2400-02-29T00:00:00Z', '2400-02-29T00:00:00.000Z'],
    ['spaces around', ' 2027-01-31T00:00:00Z ', '2027-01-31T00:00:00.000Z'],
    ['the epoch', '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['before the epoch by its offset only', '1969-12-31T23:59:00-00:01', '1970-01-01T00:00:00.000Z'],
    ['the last instant', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s', (_case, given, expected) => expect(new Date(timestampInput.parse(given)).toISOString()).toBe(expected));
});

describe('a time that does not exist or has another format is refused, never moved to another day', () => {
  test.each<[string, unknown]>([
    ['30 February', '2027-02-30T00:00:00Z'],
    ['29 February of a common year', '2027-02-29T00:00:00Z'],
    ['29 February of a century', '2100-02-29T00:00:00Z'],
    ['31 April', '2027-04-31T00:00:00Z'],
    ['31 April in another offset', '2027-04-31T00:00:00+02:00'],
    ['day 0', '2027-01-00T00:00:00Z'],
    ['day 32', '2027-01-32T00:00:00Z'],
    ['month 0', '2027-00-10T00:00:00Z'],
    ['month 13', '2027-13-10T00:00:00Z'],
    ['hour 24', '2027-01-31T24:00:00Z'],
    ['hour 25', '2027-01-31T25:00:00Z'],
    ['minute 60', '2027-01-31T00:60:00Z'],
    ['a leap second, which no clock here can show', '2026-12-31T23:59:60Z'],
    ['second 61', '2026-12-31T23:59:61Z'],
    ['offset hour 24', '2027-01-31T00:00:00+24:00'],
    ['offset minute 60', '2027-01-31T00:00:00+00:60'],
    ['offset far out', '2027-01-31T00:00:00+99:99'],
    ['an offset without a colon', '2027-01-31T00:00:00+0530'],
    ['no offset', '2027-01-31T00:00:00'],
    ['no seconds', '2027-01-31T00:00Z'],
    ['a date only', '2027-01-31'],
    ['a space for the T', '2027-01-31 00:00:00Z'],
    ['a comma fraction', '2027-01-31T00:00:00,5Z'],
    ['an empty fraction', '2027-01-31T00:00:00.Z'],
    ['a year of five digits', '12027-01-31T00:00:00Z'],
    ['a signed year', '+002027-01-31T00:00:00Z'],
    ['a two-digit year', '27-01-31T00:00:00Z'],
    ['before 1970', '1969-12-31T23:59:59.999Z'],
    ['before 1970 by its offset', '1970-01-01T00:00:00+00:01'],
    ['year 0', '0000-01-01T00:00:00Z'],
    ['after 9999 by its offset', '9999-12-31T23:59:59-00:01'],
    ['other digits', '\u0662027-01-31T00:00:00Z'],
    ['a line end inside', '2027-01-31T00:00:00Z\n2027-01-31T00:00:00Z'],
    ['text', 'tomorrow'],
    ['nothing', ''],
    ['a number', 1_800_000_000_000],
    ['null', null],
  ])('%s', (_case, given) => expect(timestampInput.safeParse(given).success).toBe(false));

  test('reading a fraction of a second with many digits takes time in proportion to their number only', () =>
    expect(timestampInput.safeParse(`2027-01-31T00:00:00.${'1'.repeat(60_000)}Z`).success).toBe(true));
});

test('every time that the service writes can be sent back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LAST_INSTANT }), (ms) => {
      expect(timestampInput.parse(new Date(ms).toISOString())).toBe(ms);
    }),
  );
});
