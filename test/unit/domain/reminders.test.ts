import { noFacts } from '../../../lambdas/domain/payments/facts';
import { dueReminder, renewsItself } from '../../../lambdas/domain/reminders';
import { DAY, license, NOW } from './fixtures';

/** If these tests fail, buyers get reminders for subscriptions that renew automatically, or for dates that no longer matter. */

test('a subscription renews automatically until its end is announced or reported, or a payment has failed', () => {
  const cancellation = { at: NOW, endsAt: NOW + DAY };
  expect(renewsItself(noFacts)).toBe(true);
  expect(renewsItself({ ...noFacts, cancellation })).toBe(false);
  expect(renewsItself({ ...noFacts, cancellation: { ...cancellation, endsAt: null } })).toBe(true);
  expect(renewsItself({ ...noFacts, cancellation, earlier: { ids: [], runs: [{ from: NOW, until: NOW + 30 * DAY }] } })).toBe(true);
  expect(renewsItself({ ...noFacts, ended: { at: NOW, endedAt: null } })).toBe(false);
  expect(renewsItself({ ...noFacts, trouble: { on: [{ at: NOW, suspends: false }], off: [] } })).toBe(false);
});

test('a reminder is due from its day on, unless the reminder was set up, or the license created, after that day', () => {
  const reminder = { event: 'expiring', days: 7, subject: null, text: null, since: NOW } as const;
  const ends = (at: number, created_at = NOW - DAY) => dueReminder(license({ expires_at: at, created_at }), reminder, NOW + 3 * DAY);
  expect(ends(NOW + 10 * DAY)).toEqual({ event: 'expiring', days: 7, date: NOW + 10 * DAY });
  expect(ends(NOW + 10 * DAY + 1)).toBeUndefined();
  expect(ends(NOW + 7 * DAY)).toBeUndefined();
  expect(ends(NOW + 8 * DAY, NOW + 2 * DAY)).toBeUndefined();
});
