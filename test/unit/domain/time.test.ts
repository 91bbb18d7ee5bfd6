import fc from 'fast-check';
import { LAST_INSTANT } from '../../../lambdas/contract/text';
import { payloadTimestampOf, timestampOf, timestampOrNull } from '../../../lambdas/domain/time';

const instant = fc.integer({ min: 0, max: LAST_INSTANT });

test('responses have times in RFC 3339, UTC, with milliseconds', () => {
  expect(timestampOf(Date.UTC(2026, 10, 20, 13, 52, 0, 123))).toBe('2026-11-20T13:52:00.123Z');
  expect(timestampOf(Date.UTC(2026, 0, 2, 3, 4, 5, 0))).toBe('2026-01-02T03:04:05.000Z');
});

test('no expiry is null, and the epoch is not mistaken for it', () => {
  expect(timestampOrNull(null)).toBeNull();
  expect(timestampOrNull(0)).toBe('1970-01-01T00:00:00.000Z');
});

test('a webhook payload has times with a space and a UTC offset', () => {
  expect(payloadTimestampOf(Date.UTC(2026, 10, 20, 13, 52, 0, 123))).toBe('2026-11-20 13:52:00.123+00:00');
});

test('any time that can be stored is written in full and is read back unchanged', () => {
  fc.assert(
    fc.property(instant, (ms) => {
      expect(timestampOf(ms)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(payloadTimestampOf(ms)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\+00:00$/);
      expect(Date.parse(timestampOf(ms))).toBe(ms);
      expect(Date.parse(payloadTimestampOf(ms))).toBe(ms);
    }),
  );
});
