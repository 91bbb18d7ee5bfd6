import { isFailure, type ErrorName } from '../../../lambdas/contract/errors';
import type { EventName } from '../../../lambdas/contract/events';
import type { LicenseStatus } from '../../../lambdas/contract/resources';
import { LAST_INSTANT } from '../../../lambdas/contract/text';
import * as domain from '../../../lambdas/domain/license';
import type { Decision, License, Trigger } from '../../../lambdas/domain/license';
import { DAY, device, license, NOW } from './fixtures';

const inStatus: Record<LicenseStatus, License> = {
  active: license(),
  expired: license({ status: 'expired', expires_at: NOW - DAY }),
  revoked: license({ status: 'revoked', revoked_at: NOW - DAY }),
};
const newMachine = { fingerprint: 'new-machine' };

const pull: Record<Trigger, (given: License) => Decision<unknown>> = {
  activate: (given) => domain.activate(given, undefined, newMachine, NOW),
  check: (given) => domain.check(given, device(), NOW),
  deactivate: (given) => domain.deactivate(given, device(), NOW),
  reset: (given) => domain.reset(given, NOW),
  revoke: (given) => domain.revoke(given, NOW),
  renew: (given) => domain.renew(given, {}, NOW),
  expire: (given) => domain.check({ ...given, expires_at: NOW }, device(), NOW),
};

type Row = [from: LicenseStatus, trigger: Trigger, to: LicenseStatus, event: EventName | null, refusal: ErrorName | null, promise: string];

/** The table of the specification and the decisions, written down a second time on purpose. */
const rows: Row[] = [
  ['active', 'activate', 'active', 'license.activated', null, 'a customer can use a new machine'],
  ['active', 'check', 'active', null, null, 'a check costs no event'],
  ['active', 'deactivate', 'active', 'license.deactivated', null, 'a customer can move to another machine'],
  ['active', 'reset', 'active', 'license.reset', null, 'a customer who lost his machines can start afresh'],
  ['active', 'revoke', 'revoked', 'license.revoked', null, 'a refund ends the use'],
  ['active', 'renew', 'active', 'license.renewed', null, 'a paid renewal is told'],
  ['active', 'expire', 'expired', 'license.expired', 'license_expired', 'the end of a term ends the use'],
  ['expired', 'activate', 'expired', null, 'license_expired', 'who did not renew cannot add machines'],
  ['expired', 'check', 'expired', null, 'license_expired', 'who did not renew cannot go on'],
  ['expired', 'deactivate', 'expired', 'license.deactivated', null, 'freeing a seat is never refused'],
  ['expired', 'reset', 'expired', 'license.reset', null, 'a reset works and revives nothing'],
  ['expired', 'revoke', 'revoked', 'license.revoked', null, 'a refund after the term is recorded'],
  ['expired', 'renew', 'active', 'license.renewed', null, 'a late renewal brings the license back'],
  ['expired', 'expire', 'expired', null, 'license_expired', 'an expiry is told once, not at every check'],
  ['revoked', 'activate', 'revoked', null, 'license_revoked', 'a refunded license takes no machine'],
  ['revoked', 'check', 'revoked', null, 'license_revoked', 'a refunded license is refused'],
  ['revoked', 'deactivate', 'revoked', 'license.deactivated', null, 'freeing a seat is never refused'],
  ['revoked', 'reset', 'revoked', 'license.reset', null, 'a reset works and revives nothing'],
  ['revoked', 'revoke', 'revoked', null, null, 'a refund sent twice is told once'],
  ['revoked', 'renew', 'revoked', null, 'license_revoked', 'a payment does not bring a refunded license back'],
  ['revoked', 'expire', 'revoked', null, 'license_revoked', 'revoked outranks expired: the cause stays visible'],
];

const titled = rows.map((row): [string, Row] => [`${row[0]}, ${row[1]}: ${row[5]}`, row]);

describe('the lifecycle of a license', () => {
  test('every status × trigger is decided', () => {
    expect(rows.map(([from, trigger]) => `${from} ${trigger}`).sort()).toEqual(
      Object.keys(inStatus)
        .flatMap((from) => domain.triggers.map((trigger) => `${from} ${trigger}`))
        .sort(),
    );
  });

  test.each(titled)('%s', (_title, [from, trigger, to, event, refusal]) => {
    const { change, answer } = pull[trigger](inStatus[from]);
    expect(isFailure(answer) ? answer.failure : null).toBe(refusal);
    expect(change?.event ?? null).toBe(event);
    expect(change?.after.status ?? from).toBe(to);
    // A change tells what it stands on and counts; all else but what was asked for stays.
    if (change) {
      expect(change.after).toMatchObject({ id: 7, key: inStatus[from].key, sequence: 42, license_type: inStatus[from].license_type });
      expect(change.before).toMatchObject({ status: from, sequence: 41 });
      expect(change.at).toBe(NOW);
    }
  });

  test.each(rows)('the table in the code says the same of %s, %s', (from, trigger, to, event, refusal) => {
    const refusedItself = trigger !== 'expire' && refusal !== null;
    expect(domain.lifecycle[from][trigger]).toEqual(refusedItself ? refusal : { to, event });
  });
});

describe('a new license', () => {
  const facts = {
    id: 7,
    product_id: 3,
    product_slug: 'photo-studio',
    key: license().key,
    license_type: license().license_type,
    customer_email: null,
    metadata: '{}',
    expires_at: null,
  };

  test('is active, unused and the first of its sequence', () => {
    expect(domain.initialTransition).toEqual({ to: 'active', event: 'license.created' });
    expect(domain.issue(facts, NOW)).toEqual({
      ...facts,
      status: 'active',
      expires_at: NOW + 365 * DAY,
      seats_used: 0,
      epoch: 0,
      sequence: 1,
      created_at: NOW,
      revoked_at: null,
    });
  });

  test('ends when the operator says so, not after its type', () => expect(domain.issue({ ...facts, expires_at: NOW + 5 }, NOW).expires_at).toBe(NOW + 5));

  test('of a kind that does not run out never ends', () => {
    const license_type = { ...facts.license_type, kind: 'lifetime', duration_days: null } as const;
    expect(domain.issue({ ...facts, license_type }, NOW).expires_at).toBeNull();
  });
});

describe('activation', () => {
  const full = license({ seats_used: 3 });

  test('takes a seat and remembers the machine', () => {
    const { change, answer } = domain.activate(license(), undefined, { fingerprint: 'm-2', name: 'Büro', platform: 'macos' }, NOW);
    const bound = { fingerprint: 'm-2', name: 'Büro', platform: 'macos', activated_at: NOW, epoch: 2 };
    expect(change).toMatchObject({ after: { seats_used: 2 }, device: { action: 'bind', device: bound } });
    expect(answer).toEqual({ license: change?.after, device: bound, relabelled: false });
  });

  test('of a machine without a label leaves the label empty', () => {
    const { change } = domain.activate(license(), undefined, { fingerprint: 'm-2', name: null }, NOW);
    expect(change?.device?.device).toMatchObject({ name: '', platform: '' });
  });

  test('of a bound machine takes no seat, even where none is left', () => {
    const { change, answer } = domain.activate(full, device(), { fingerprint: device().fingerprint }, NOW);
    expect(change).toBeNull();
    expect(answer).toEqual({ license: full, device: device(), relabelled: false });
  });

  test.each<[string, { name?: string | null; platform?: string | null }, { name: string; platform: string }, boolean]>([
    ['a new name is kept', { name: 'Desk' }, { name: 'Desk', platform: 'linux' }, true],
    ['a new platform is kept', { platform: 'windows' }, { name: "Ada's laptop", platform: 'windows' }, true],
    ['an emptied name is kept', { name: '' }, { name: '', platform: 'linux' }, true],
    ['the same label is no change', { name: "Ada's laptop", platform: 'linux' }, { name: "Ada's laptop", platform: 'linux' }, false],
    ['what is left out stays', { name: null }, { name: "Ada's laptop", platform: 'linux' }, false],
  ])('of a bound machine: %s', (_what, claim, label, relabelled) => {
    const { change, answer } = domain.activate(license(), device(), { fingerprint: device().fingerprint, ...claim }, NOW);
    expect(change).toBeNull();
    expect(answer).toMatchObject({ device: { ...label, activated_at: device().activated_at }, relabelled });
  });

  test('is refused where every seat is taken', () => {
    const { change, answer } = domain.activate(full, undefined, newMachine, NOW);
    expect([change, answer]).toEqual([null, expect.objectContaining({ failure: 'no_seats' })]);
  });

  test('is never refused for seats where they are unlimited', () => {
    const unlimited = license({ seats_used: 1_000_000, license_type: { ...license().license_type, max_seats: 0 } });
    expect(domain.activate(unlimited, undefined, newMachine, NOW).change?.after.seats_used).toBe(1_000_001);
  });

  test('of a machine bound before a reset takes a seat again', () => {
    const { change } = domain.activate(license(), device({ epoch: 1 }), { fingerprint: device().fingerprint }, NOW);
    expect(change).toMatchObject({ after: { seats_used: 2 }, device: { action: 'bind', device: { epoch: 2, activated_at: NOW } } });
  });

  test.each(['revoked', 'expired'] as const)('says %s rather than full, and refuses machines that are bound too', (status) => {
    for (const known of [undefined, device()]) {
      const { answer } = domain.activate({ ...inStatus[status], seats_used: 3 }, known, newMachine, NOW);
      expect(answer).toMatchObject({ failure: `license_${status}` });
    }
  });
});

describe('expiry', () => {
  const endsAt = license({ expires_at: NOW });

  test('comes at the very millisecond of expires_at, not later and not sooner', () => {
    expect(domain.check(endsAt, undefined, NOW - 1).change).toBeNull();
    expect(domain.check(endsAt, undefined, NOW).change).toMatchObject({ event: 'license.expired', after: { status: 'expired' } });
  });

  test('is noticed by an activation too, also one of a bound machine', () => {
    for (const known of [undefined, device()]) {
      const { change, answer } = domain.activate(endsAt, known, newMachine, NOW);
      expect(change).toMatchObject({ event: 'license.expired', after: { status: 'expired', seats_used: 1 } });
      expect(change?.device).toBeUndefined();
      expect(answer).toMatchObject({ failure: 'license_expired' });
    }
  });

  test('is not noticed by what checks nothing: deactivation, reset, revocation', () => {
    expect(domain.deactivate(endsAt, device(), NOW).change?.after.status).toBe('active');
    expect(domain.reset(endsAt, NOW).change?.after.status).toBe('active');
    expect(domain.revoke(endsAt, NOW).change).toMatchObject({ event: 'license.revoked', after: { status: 'revoked' } });
  });

  test('never comes where there is none', () => {
    expect(domain.check(license({ expires_at: null }), undefined, LAST_INSTANT).change).toBeNull();
  });
});

describe('a check', () => {
  test('tells the device where it is bound', () => expect(domain.check(license(), device(), NOW).answer).toEqual({ license: license(), device: device() }));

  test.each([
    ['a machine that never was bound', undefined],
    ['a machine bound before a reset', device({ epoch: 1 })],
  ])('is valid without a device for %s', (_what, known) => {
    expect(domain.check(license(), known, NOW).answer).toEqual({ license: license(), device: undefined });
  });
});

describe('deactivation', () => {
  test('frees the seat and names the device', () => {
    const { change, answer } = domain.deactivate(license({ seats_used: 3 }), device(), NOW);
    expect(change).toMatchObject({ after: { seats_used: 2 }, device: { action: 'free', device: device() } });
    expect(answer).toEqual({ freed: true });
  });

  test.each([
    ['a machine that is not bound', undefined],
    ['a machine that a reset has freed', device({ epoch: 1 })],
  ])('of %s frees nothing and tells nobody', (_what, known) => {
    expect(domain.deactivate(license(), known, NOW)).toEqual({ change: null, answer: { freed: false } });
  });
});

describe('a reset', () => {
  test('frees every seat at once, and says how many', () => {
    const { change, answer } = domain.reset(license({ seats_used: 3 }), NOW);
    expect(change?.after).toMatchObject({ seats_used: 0, epoch: 3, status: 'active' });
    expect(answer).toEqual({ freed: 3 });
    expect(domain.boundDevice(change!.after, device())).toBeUndefined();
  });

  test('of an unused license is told as well', () => {
    const { change, answer } = domain.reset(license({ seats_used: 0 }), NOW);
    expect([change?.event, answer]).toEqual(['license.reset', { freed: 0 }]);
  });
});

describe('revocation', () => {
  test('records when', () => expect(domain.revoke(license(), NOW).change?.after.revoked_at).toBe(NOW));

  test('repeated, keeps the first time', () => {
    expect(domain.revoke(inStatus.revoked, NOW)).toEqual({ change: null, answer: inStatus.revoked });
  });

  test('keeps seats and expiry as they were', () => {
    expect(domain.revoke(license(), NOW).change?.after).toEqual({ ...license(), status: 'revoked', revoked_at: NOW, sequence: 42 });
  });
});

describe('renewal', () => {
  const lifetime = license({ expires_at: null, license_type: { ...license().license_type, kind: 'lifetime', duration_days: null } });
  const { expired } = inStatus;
  const end = license().expires_at!;

  test.each<[string, License, domain.Renewal, number]>([
    ['before the end, adds the term to the end: no day is lost', license(), {}, end + 365 * DAY],
    ['after the end, adds the term to today: no day passed is paid', expired, {}, NOW + 365 * DAY],
    ['past the end that nobody noticed, adds to today too', license({ expires_at: NOW - DAY }), {}, NOW + 365 * DAY],
    ['by days', license(), { days: 30 }, end + 30 * DAY],
    ['by days after the end', expired, { days: 30 }, NOW + 30 * DAY],
    ['to a moment', license(), { expires_at: end + 1 }, end + 1],
    ['to the same moment, as a repeated request would', license(), { expires_at: end }, end],
    ['of a license without expiry by days gives it one', lifetime, { days: 30 }, NOW + 30 * DAY],
    ['of a license without expiry to a moment gives it one', lifetime, { expires_at: NOW + DAY }, NOW + DAY],
    ['to the last moment there is', license(), { expires_at: LAST_INSTANT }, LAST_INSTANT],
  ])('%s', (_what, given, renewal, expires_at) => {
    const { change, answer } = domain.renew(given, renewal, NOW);
    expect(change).toMatchObject({ event: 'license.renewed', after: { status: 'active', expires_at } });
    expect(answer).toEqual(change?.after);
  });

  test.each<[string, License, domain.Renewal, ErrorName]>([
    ['moving the expiry back by a millisecond', license(), { expires_at: end - 1 }, 'invalid_request'],
    ['moving a past expiry back', expired, { expires_at: NOW - 2 * DAY }, 'invalid_request'],
    ['with nothing to renew by', lifetime, {}, 'invalid_request'],
    ['past the year 9999 by days', license({ expires_at: LAST_INSTANT }), { days: 1 }, 'invalid_request'],
    ['past the year 9999 by its term', license({ expires_at: LAST_INSTANT }), {}, 'invalid_request'],
    ['of a revoked license, before anything is said about the dates', inStatus.revoked, { expires_at: 0 }, 'license_revoked'],
  ])('is refused: %s', (_what, given, renewal, failure) => {
    const { change, answer } = domain.renew(given, renewal, NOW);
    expect(change).toBeNull();
    expect(answer).toMatchObject({ failure });
  });

  test('lets the license expire, and tell so, again', () => {
    const renewed = domain.renew(expired, { days: 1 }, NOW).change!.after;
    expect(domain.check(renewed, undefined, NOW + DAY).change).toMatchObject({ event: 'license.expired', after: { sequence: 43 } });
  });

  test('keeps the machines', () => {
    expect(domain.boundDevice(domain.renew(expired, {}, NOW).change!.after, device())).toEqual(device());
  });
});

test.each<[string, Partial<License>, domain.Renewal, RegExp]>([
  ['neither a term nor a date', { expires_at: null, license_type: { ...license().license_type, duration_days: null } }, {}, /^days or expires_at is required/],
  ['a term past the calendar', { expires_at: LAST_INSTANT }, { days: 1 }, /^days leads past the year 9999/],
  ['a date past the calendar', {}, { expires_at: LAST_INSTANT + 1 }, /^expires_at leads past the year 9999/],
  ['an earlier date', {}, { expires_at: NOW }, /^expires_at must not move the expiry back/],
])('an operator who renews with %s is told which field is wrong', (_what, facts, renewal, detail) => {
  expect(domain.renew(license(facts), renewal, NOW).answer).toMatchObject({ failure: 'invalid_request', detail: expect.stringMatching(detail) });
});
