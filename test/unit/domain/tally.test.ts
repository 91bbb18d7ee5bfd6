import type { LicenseStatus } from '../../../lambdas/contract/statuses';
import type { Delivery } from '../../../lambdas/domain/delivery';
import { tallyOf } from '../../../lambdas/domain/tally';
import { NOW } from './fixtures';

/** The body of an event with a license of this status. */

const body = (status: LicenseStatus): string => JSON.stringify({ data: { license: { status, license_type: { id: 4 } } } });
const attempted = (fields: Partial<Delivery>): Delivery => ({
  id: '0'.repeat(32),
  event: 'license.renewed',
  product_id: 3,
  license_id: 7,
  body: body('active'),
  status: 'pending',
  created_at: NOW,
  ...fields,
});

describe('the change of the license counts with the first attempt, regardless of its outcome', () => {
  test.each(['pending', 'delivered', 'failed', 'skipped'] as const)('%s', (status) => {
    const day = status === 'pending' ? {} : { [status]: 1 };
    const counted = { counted: true, outcome: status === 'pending' ? undefined : status };
    expect(tallyOf(attempted({ event: 'license.created', status }))).toEqual({
      day,
      happened: { what: 'issued', at: NOW },
      license: { typeId: 4, from: undefined, to: 'active' },
      counted,
    });
    expect(tallyOf(attempted({ event: 'license.revoked', previous_status: 'expired', body: body('revoked'), status }))).toEqual({
      day,
      license: { typeId: 4, from: 'expired', to: 'revoked' },
      counted,
    });
    expect(tallyOf(attempted({ event: 'license.activated', status }))).toEqual({
      day,
      happened: { what: 'activations', at: NOW },
      counted,
    });
    expect(tallyOf(attempted({ status }))).toEqual({ day, happened: { what: 'renewed', at: NOW }, counted });
    expect(tallyOf(attempted({ event: 'webhook.test', license_id: null, body: '{"data":{}}', status }))).toEqual({ day, counted });
  });

  test.each(['pending', 'delivered', 'failed', 'skipped'] as const)('a later attempt does not count the change again: %s', (status) => {
    for (const event of ['license.created', 'license.activated', 'license.renewed', 'license.revoked'] as const) {
      const tally = tallyOf(attempted({ event, previous_status: 'active', status, counted: true }));
      expect(tally).not.toHaveProperty('license');
      expect(tally).not.toHaveProperty('happened');
    }
  });
});

test('only failed mails are counted, and a failed mail that is finally sent is no longer counted', () => {
  const mail = (fields: Partial<Delivery>) => tallyOf(attempted({ event: 'license.created', channel: 'mail', ...fields })).day;
  expect(mail({})).toEqual({});
  expect(mail({ status: 'delivered' })).toEqual({});
  expect(mail({ status: 'failed' })).toEqual({ mails_failed: 1 });
  expect(mail({ status: 'failed', outcome: 'failed' })).toEqual({});
  expect(mail({ outcome: 'failed' })).toEqual({});
  expect(mail({ status: 'delivered', outcome: 'failed' })).toEqual({ mails_failed: -1 });
  expect(mail({ status: 'failed', outcome: 'skipped' })).toEqual({ mails_failed: 1 });
});

describe('the outcome of a delivery counts once, and changes if a later round has another outcome', () => {
  const outcomes = ['delivered', 'failed', 'skipped'] as const;
  const pairs = outcomes.flatMap((outcome) => outcomes.map((status) => [outcome, status] as const));

  test.each(pairs)('%s, then %s', (outcome, status) => {
    const day = outcome === status ? {} : { [outcome]: -1, [status]: 1 };
    expect(tallyOf(attempted({ status, counted: true, outcome }))).toEqual({ day, counted: { counted: true, outcome: status } });
  });

  test.each(outcomes)('an attempt with further attempts due changes no outcome: %s', (outcome) =>
    expect(tallyOf(attempted({ counted: true, outcome }))).toEqual({ day: {}, counted: { counted: true, outcome } }),
  );
});
