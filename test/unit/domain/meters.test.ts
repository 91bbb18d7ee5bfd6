import fc from 'fast-check';
import { LAST_INSTANT } from '../../../lambdas/contract/text';
import { readMeter } from '../../../lambdas/domain/meters';
import { withTerm } from '../../../lambdas/domain/terms';
import { DAY, license, NOW } from './fixtures';

/** Tests when the periods of meters begin (docs/spec/meters.md, Periods). */

const meter = (period: 'month' | 'term') => ({ name: 'exports', included: 1, period, overage: 'refuse' as const, returnable: false });
const days = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** An issue on any day, often at the end of a month or on a leap day. */
const issued = fc
  .record({
    year: fc.integer({ min: 1972, max: 2400 }),
    month: fc.nat(11),
    day: fc.constantFrom(1, 15, 28, 29, 30, 31),
    time: fc.constantFrom(0, 1, DAY / 2, DAY - 1),
  })
  .map(({ year, month, day, time }) => Date.UTC(year, month, Math.min(day, days(year, month))) + time);

test('in every month a buyer may consume again from the day and time of the issue, or from the last day of a shorter month', () => {
  fc.assert(
    fc.property(issued, fc.nat(1500), (created_at, months) => {
      const from = new Date(created_at);
      // The start of a period, computed from its parts instead of by moving a date.
      const startOf = (later: number): number => {
        const [year, month] = [from.getUTCFullYear() + Math.floor((from.getUTCMonth() + later) / 12), (from.getUTCMonth() + later) % 12];
        return Date.UTC(year, month, Math.min(from.getUTCDate(), days(year, month))) + (created_at % DAY);
      };
      const [begins, resets] = [startOf(months), startOf(months + 1)];
      fc.pre(resets < LAST_INSTANT);
      const at = (now: number) => readMeter(license({ created_at }), meter('month'), undefined, now);
      for (const now of [begins, resets - 1]) expect(at(now)).toMatchObject({ begins, resets });
      expect(at(resets)).toMatchObject({ begins: resets });
      // A row of the period that has just ended counts nothing in the new one.
      const row = { generation: 0, begins, used: 1, reported: 100, terms_sequence: 0 };
      expect(readMeter(license({ created_at }), meter('month'), row, resets - 1)).toMatchObject({ used: 1, reported: 100 });
      expect(readMeter(license({ created_at }), meter('month'), row, resets)).toMatchObject({ used: 0, reported: 0 });
    }),
  );
});

test('the order in which terms become known, repetitions and the passage of time change no period', () => {
  const start = fc.integer({ min: -400, max: 400 }).map((day) => NOW + day * DAY);
  fc.assert(
    fc.property(fc.uniqueArray(start, { maxLength: 12 }), fc.array(fc.nat(11)), fc.nat(500), (starts, repeats, later) => {
      const learn = (order: readonly number[]): readonly number[] =>
        order.reduce<readonly number[]>((term_starts, one) => withTerm(license({ term_starts }), one, NOW), []);
      const term_starts = learn(starts);
      const again = repeats.flatMap((place) => starts[place] ?? []);
      expect(learn([...again, ...starts.toReversed(), ...again])).toEqual(term_starts);
      const now = NOW + later * DAY;
      const { created_at } = license();
      const begins = Math.max(created_at, ...starts.filter((one) => one <= now));
      const next = Math.min(...starts.filter((one) => one > now), license().expires_at ?? Infinity);
      expect(readMeter(license({ term_starts }), meter('term'), undefined, now)).toMatchObject({ begins, resets: next });
    }),
  );
});
