import { isFailure, type ErrorName } from '../../../lambdas/contract/errors';
import type { EventName } from '../../../lambdas/contract/events';
import type { LicenseStatus } from '../../../lambdas/contract/statuses';
import { LAST_INSTANT } from '../../../lambdas/contract/text';
import { correctAmount, readMeter } from '../../../lambdas/domain/meters';
import { newMember } from '../../../lambdas/domain/member';
import { putMember, removeMember } from '../../../lambdas/domain/members';
import * as activation from '../../../lambdas/domain/activation';
import * as validation from '../../../lambdas/domain/validation';
import * as domain from './domain';
import type { Decision, License, Trigger } from './domain';
import { DAY, device, license, NOW } from './fixtures';

const inStatus: Record<LicenseStatus, License> = {
  active: license(),
  suspended: license({ status: 'suspended', suspended: { at: NOW - DAY, reason: null, by: 'operator', cause: 'operator' } }),
  expired: license({ status: 'expired', expires_at: NOW - DAY }),
  revoked: license({ status: 'revoked', revoked_at: NOW - DAY }),
};
const ofPeople = (given: License): License => ({
  ...given,
  members: 1,
  license_type: { ...given.license_type, binding: 'user', devices_per_user: 3 },
});
const newDevice = { fingerprint: 'new-machine' };
const unknownUse = { app_version: null, country: null };

const apply: Record<Trigger, (given: License) => Decision<unknown>> = {
  activate: (given) => domain.activate(given, undefined, newDevice, NOW),
  check: (given) => domain.check(given, device(), NOW),
  deactivate: (given) => domain.deactivate(given, device(), NOW),
  reset: (given) => domain.reset(given, NOW),
  revoke: (given) => domain.revoke(given, NOW),
  renew: (given) => domain.renew(given, {}, NOW),
  expire: (given) => domain.check({ ...given, expires_at: NOW }, device(), NOW),
  suspend: (given) => domain.suspend(given, { reason: 'chargeback', by: 'operator', cause: 'operator' }, NOW),
  reinstate: (given) => domain.reinstate(given, NOW),
  annotate: (given) => domain.edit(given, { customer_email: 'grace@example.com' }, NOW),
  amend: (given) => domain.edit(given, { max_seats: 9 }, NOW),
  prolong: (given) => domain.edit(given, { expires_at: NOW + 900 * DAY }, NOW),
  reissue: (given) => domain.reissue(given, 'A-NEW-KEY', NOW),
  warn: (given) => validation.check({ ...given, expires_at: NOW + DAY }, device(), { now: NOW, expiringDays: 14 }, unknownUse),
  renew_updates: (given) => domain.renewUpdates({ ...given, updates_until: NOW }, { days: 30 }, NOW),
  warn_updates: (given) => validation.check({ ...given, updates_until: NOW + DAY }, device(), { now: NOW, expiringDays: 14 }, unknownUse),
  reach_meter: (given) => {
    const reading = readMeter(
      given,
      { name: 'exports', included: 10, period: 'none', overage: 'refuse', returnable: false },
      undefined,
      NOW,
    );
    return { transition: correctAmount(given, reading, { used: 8 }, NOW).transition, result: given };
  },
  exhaust: (given) => domain.activate({ ...given, seats_used: 3 }, undefined, newDevice, NOW),
  add_member: (given) => putMember(given, undefined, { email: 'grace@example.com' }, NOW),
  remove_member: (given) => removeMember(given, newMember(given, 'grace@example.com', 'member', NOW), [], NOW),
};

type Row = [from: LicenseStatus, trigger: Trigger, to: LicenseStatus, event: EventName | null, refusal: ErrorName | null, promise: string];

/**
 * The lifecycle table as docs/spec/service.md and docs/decisions.md define it. It repeats the table in the code on purpose, so that a wrong
 * change of the code makes a test fail.
 */
const rows: Row[] = [
  ['active', 'activate', 'active', 'license.activated', null, 'a customer can use a new machine'],
  ['active', 'check', 'active', null, null, 'a check causes no event'],
  ['active', 'deactivate', 'active', 'license.deactivated', null, 'a customer can move to another machine'],
  ['active', 'reset', 'active', 'license.reset', null, 'a customer who lost his machines can start afresh'],
  ['active', 'renew_updates', 'active', 'license.updates_renewed', null, 'a renewal of updates is reported'],
  ['expired', 'renew_updates', 'expired', 'license.updates_renewed', null, 'paid updates do not renew the license itself'],
  ['suspended', 'renew_updates', 'suspended', 'license.updates_renewed', null, 'a suspension outlasts a renewal of updates'],
  ['revoked', 'renew_updates', 'revoked', null, 'license_revoked', 'a refunded license gets no updates'],
  ['active', 'warn_updates', 'active', 'license.updates_expiring', null, 'a vendor can offer more updates in time'],
  ['expired', 'warn_updates', 'expired', null, 'license_expired', 'a refused check sends no offer'],
  ['suspended', 'warn_updates', 'suspended', null, 'license_suspended', 'a refused check sends no offer'],
  ['revoked', 'warn_updates', 'revoked', null, 'license_revoked', 'a refused check sends no offer'],
  ['active', 'reach_meter', 'active', 'license.meter_reached', null, 'a vendor can offer more before the limit'],
  ['expired', 'reach_meter', 'expired', 'license.meter_reached', null, 'a correction reports a threshold'],
  ['suspended', 'reach_meter', 'suspended', 'license.meter_reached', null, 'a correction reports a threshold'],
  ['revoked', 'reach_meter', 'revoked', 'license.meter_reached', null, 'a correction reports a threshold'],
  ['active', 'add_member', 'active', 'license.member_added', null, 'a colleague can use the license'],
  ['expired', 'add_member', 'expired', 'license.member_added', null, 'a team can be prepared before the renewal'],
  ['suspended', 'add_member', 'suspended', 'license.member_added', null, 'a team can be managed during a suspension'],
  ['revoked', 'add_member', 'revoked', null, 'license_revoked', 'a refunded license gets no new members'],
  ['active', 'remove_member', 'active', 'license.member_removed', null, 'a colleague who leaves loses the license'],
  ['expired', 'remove_member', 'expired', 'license.member_removed', null, 'removing a member is never refused'],
  ['suspended', 'remove_member', 'suspended', 'license.member_removed', null, 'removing a member is never refused'],
  ['revoked', 'remove_member', 'revoked', 'license.member_removed', null, 'removing a member is never refused'],
  ['active', 'revoke', 'revoked', 'license.revoked', null, 'a refund ends the use'],
  ['active', 'renew', 'active', 'license.renewed', null, 'a paid renewal is reported'],
  ['active', 'expire', 'expired', 'license.expired', 'license_expired', 'the end of a term ends the use'],
  ['expired', 'activate', 'expired', null, 'license_expired', 'a customer who did not renew cannot add machines'],
  ['expired', 'check', 'expired', null, 'license_expired', 'a license that was not renewed is refused'],
  ['expired', 'deactivate', 'expired', 'license.deactivated', null, 'freeing a seat is never refused'],
  ['expired', 'reset', 'expired', 'license.reset', null, 'a reset works, but the license stays invalid'],
  ['expired', 'revoke', 'revoked', 'license.revoked', null, 'a refund after the term is recorded'],
  ['expired', 'renew', 'active', 'license.renewed', null, 'a late renewal brings the license back'],
  ['expired', 'expire', 'expired', null, 'license_expired', 'an expiry is reported once, not at every check'],
  ['revoked', 'activate', 'revoked', null, 'license_revoked', 'a refunded license takes no machine'],
  ['revoked', 'check', 'revoked', null, 'license_revoked', 'a refunded license is refused'],
  ['revoked', 'deactivate', 'revoked', 'license.deactivated', null, 'freeing a seat is never refused'],
  ['revoked', 'reset', 'revoked', 'license.reset', null, 'a reset works, but the license stays invalid'],
  ['revoked', 'revoke', 'revoked', null, null, 'a refund that is sent twice is reported once'],
  ['revoked', 'renew', 'revoked', null, 'license_revoked', 'a payment does not bring a refunded license back'],
  ['revoked', 'expire', 'revoked', null, 'license_revoked', 'revoked outranks expired: the cause stays visible'],
  ['active', 'suspend', 'suspended', 'license.suspended', null, 'an operator can pause a license'],
  ['active', 'reinstate', 'active', null, null, 'there is nothing to reinstate'],
  ['active', 'annotate', 'active', 'license.updated', null, 'a wrong address can be corrected'],
  ['active', 'amend', 'active', 'license.updated', null, 'a customer can be given more seats'],
  ['active', 'prolong', 'active', 'license.updated', null, 'a customer can be given more time'],
  ['active', 'reissue', 'active', 'license.reissued', null, 'a leaked key can be replaced'],
  ['active', 'warn', 'active', 'license.expiring', null, 'the vendor can write before it is too late'],
  ['active', 'exhaust', 'active', 'license.seats_exhausted', 'no_seats', 'the vendor can offer more seats'],
  ['expired', 'suspend', 'suspended', 'license.suspended', null, 'an expired license can be suspended'],
  ['expired', 'reinstate', 'expired', null, null, 'there is nothing to reinstate'],
  ['expired', 'annotate', 'expired', 'license.updated', null, 'a wrong address can be corrected'],
  ['expired', 'amend', 'expired', 'license.updated', null, 'new terms alone do not make the license valid again'],
  ['expired', 'prolong', 'active', 'license.updated', null, 'a later expiry brings the license back'],
  ['expired', 'reissue', 'expired', 'license.reissued', null, 'a leaked key can be replaced'],
  ['expired', 'warn', 'expired', null, 'license_expired', 'it is too late for a warning'],
  ['expired', 'exhaust', 'expired', null, 'license_expired', 'expired is reported before full'],
  ['suspended', 'activate', 'suspended', null, 'license_suspended', 'a suspended license takes no machine'],
  ['suspended', 'check', 'suspended', null, 'license_suspended', 'a suspended license is refused'],
  ['suspended', 'deactivate', 'suspended', 'license.deactivated', null, 'freeing a seat is never refused'],
  ['suspended', 'reset', 'suspended', 'license.reset', null, 'a reset works, but the license stays suspended'],
  ['suspended', 'revoke', 'revoked', 'license.revoked', null, 'a suspended license can be refunded'],
  ['suspended', 'renew', 'suspended', 'license.renewed', null, 'a payment does not end a suspension'],
  ['suspended', 'expire', 'suspended', null, 'license_suspended', 'suspended outranks expired'],
  ['suspended', 'suspend', 'suspended', null, null, 'suspending twice is reported once'],
  ['suspended', 'reinstate', 'active', 'license.reinstated', null, 'the operator can end the pause'],
  ['suspended', 'annotate', 'suspended', 'license.updated', null, 'a wrong address can be corrected'],
  ['suspended', 'amend', 'suspended', 'license.updated', null, 'terms can change during a suspension'],
  ['suspended', 'prolong', 'suspended', 'license.updated', null, 'more time does not end a suspension'],
  ['suspended', 'reissue', 'suspended', 'license.reissued', null, 'a leaked key can be replaced'],
  ['suspended', 'warn', 'suspended', null, 'license_suspended', 'no warning while the license cannot be used'],
  ['suspended', 'exhaust', 'suspended', null, 'license_suspended', 'suspended is reported before full'],
  ['revoked', 'suspend', 'revoked', null, 'license_revoked', 'a revocation is final'],
  ['revoked', 'reinstate', 'revoked', null, 'license_revoked', 'a revocation is final'],
  ['revoked', 'annotate', 'revoked', 'license.updated', null, 'the data of a revoked license can be corrected'],
  ['revoked', 'amend', 'revoked', null, 'license_revoked', 'a refunded license gets no new terms'],
  ['revoked', 'prolong', 'revoked', null, 'license_revoked', 'a refunded license gets no more time'],
  ['revoked', 'reissue', 'revoked', null, 'license_revoked', 'a refunded license gets no new key'],
  ['revoked', 'warn', 'revoked', null, 'license_revoked', 'no warning for a refunded license'],
  ['revoked', 'exhaust', 'revoked', null, 'license_revoked', 'revoked is reported before full'],
];

const titled = rows.map((row): [string, Row] => [`${row[0]}, ${row[1]}: ${row[5]}`, row]);

describe('the lifecycle of a license', () => {
  test('the table has a decision for every trigger in every status', () => {
    expect(rows.map(([from, trigger]) => `${from} ${trigger}`).sort()).toEqual(
      Object.keys(inStatus)
        .flatMap((from) => domain.triggers.map((trigger) => `${from} ${trigger}`))
        .sort(),
    );
  });

  test.each(titled)('%s', (_title, [from, trigger, to, event, refusal]) => {
    const given = trigger.endsWith('_member') ? ofPeople(inStatus[from]) : inStatus[from];
    const { transition, result } = apply[trigger](given);
    expect(isFailure(result) ? result.failure : null).toBe(refusal);
    expect(transition?.occurrences[0]?.event ?? null).toBe(event);
    expect(transition?.after.status ?? from).toBe(to);
    // A transition contains the license before and after the change. The change increases the sequence number by one, and leaves fields
    // that it doesn't affect unchanged.
    if (transition) {
      expect(transition.after).toMatchObject({
        id: 7,
        key: trigger === 'reissue' ? 'A-NEW-KEY' : inStatus[from].key,
        sequence: 42,
        license_type: given.license_type,
      });
      expect(transition.before).toMatchObject({ status: from, sequence: 41 });
      expect(transition.at).toBe(NOW);
    }
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
    metadata: { json: '{}' },
  };

  test('is active, unused and the first of its sequence', () => {
    expect(domain.initialEdge).toEqual({ to: 'active', event: 'license.created' });
    expect(domain.issue(facts, NOW).license).toEqual({
      ...facts,
      unverified_email: null,
      language: null,
      label: null,
      key_mailed: false,
      max_seats: null,
      features: null,
      limits: null,
      meters: null,
      meter_changes: {},
      term_starts: [],
      suspended: null,
      order: null,
      new_devices: null,
      term: null,
      updates_until: null,
      max_major: null,
      warned_updates: null,
      warned_expiry: null,
      exhausted_at: null,
      erased_at: null,
      buyer_frees: null,
      buyer_reissues: [],
      status: 'active',
      expires_at: NOW + 365 * DAY,
      seats_used: 0,
      members: null,
      epoch: 0,
      sequence: 1,
      created_at: NOW,
      revoked_at: null,
      revoked_reason: null,
    });
  });

  test("expires at the operator's date instead of the type's duration", () =>
    expect(domain.issue({ ...facts, expires_at: NOW + 5 }, NOW).license.expires_at).toBe(NOW + 5));

  test('of a kind without an end never expires', () => {
    const license_type = { ...facts.license_type, kind: 'lifetime', duration_days: null } as const;
    expect(domain.issue({ ...facts, license_type }, NOW).license.expires_at).toBeNull();
  });
});

describe('activation', () => {
  const full = license({ seats_used: 3 });

  test('takes a seat and stores the device', () => {
    const { transition, result } = domain.activate(license(), undefined, { fingerprint: 'm-2', name: 'Büro', platform: 'macos' }, NOW);
    const bound = {
      fingerprint: 'm-2',
      name: 'Büro',
      platform: 'macos',
      activated_at: NOW,
      epoch: 2,
      lease_expires_at: null,
      last_seen_on: '2026-11-20',
      sign_in: null,
      member: null,
      app_version: null,
      country: null,
    };
    expect(transition).toMatchObject({ after: { seats_used: 2 }, devices: [{ action: 'bind', device: bound }] });
    expect(result).toEqual({ license: transition?.after, bound: { read: bound, device: bound } });
  });

  test('of a device without a label leaves the label empty', () => {
    const { transition } = domain.activate(license(), undefined, { fingerprint: 'm-2', name: null }, NOW);
    expect(transition?.devices[0]?.device).toMatchObject({ name: '', platform: '' });
  });

  test('of a bound device takes no seat, even if none is left', () => {
    const { transition, result } = domain.activate(full, device(), { fingerprint: device().fingerprint }, NOW);
    expect(transition).toBeNull();
    expect(result).toEqual({ license: full, bound: { read: device(), device: device() } });
  });

  test.each<[string, { name?: string | null; platform?: string | null }, { name: string; platform: string }, boolean]>([
    ['a new name is kept', { name: 'Desk' }, { name: 'Desk', platform: 'linux' }, true],
    ['a new platform is kept', { platform: 'windows' }, { name: "Ada's laptop", platform: 'windows' }, true],
    ['an emptied name is kept', { name: '' }, { name: '', platform: 'linux' }, true],
    ['the same label is no change', { name: "Ada's laptop", platform: 'linux' }, { name: "Ada's laptop", platform: 'linux' }, false],
    ['what is left out stays', { name: null }, { name: "Ada's laptop", platform: 'linux' }, false],
  ])('of a bound device: %s', (_what, claim, label, relabelled) => {
    const { transition, result } = domain.activate(license(), device(), { fingerprint: device().fingerprint, ...claim }, NOW);
    expect(transition).toBeNull();
    expect(result).toMatchObject({ bound: { device: { ...label, activated_at: device().activated_at } } });
    expect(!isFailure(result) && result.bound.device !== result.bound.read).toBe(relabelled);
  });

  test('is refused if every seat is taken', () => {
    const { transition, result } = domain.activate(full, undefined, newDevice, NOW);
    expect(result).toMatchObject({ failure: 'no_seats' });
    expect(transition).toMatchObject({
      after: { seats_used: full.seats_used },
      devices: [],
      occurrences: [{ event: 'license.seats_exhausted' }],
    });
  });

  test('is not refused before the devices were read, because a lease may have ended', () => {
    const context = { now: NOW, expiringDays: 0 };
    expect(activation.activate(full, undefined, newDevice, context)).toEqual({ needs: 'devices', transition: null });
  });

  test('is never refused because of seats if they are unlimited', () => {
    const unlimited = license({ seats_used: 1_000_000, license_type: { ...license().license_type, max_seats: 0 } });
    expect(domain.activate(unlimited, undefined, newDevice, NOW).transition?.after.seats_used).toBe(1_000_001);
  });

  test('of a device bound before a reset takes a seat again', () => {
    const { transition } = domain.activate(license(), device({ epoch: 1 }), { fingerprint: device().fingerprint }, NOW);
    expect(transition).toMatchObject({ after: { seats_used: 2 }, devices: [{ action: 'bind', device: { epoch: 2, activated_at: NOW } }] });
  });

  test.each(['revoked', 'expired'] as const)(
    'of a license that is %s is refused with this reason even if the license is full, and bound devices are refused too',
    (status) => {
      for (const known of [undefined, device()]) {
        const { result } = domain.activate({ ...inStatus[status], seats_used: 3 }, known, newDevice, NOW);
        expect(result).toMatchObject({ failure: `license_${status}` });
      }
    },
  );
});

describe('expiry', () => {
  const endsAt = license({ expires_at: NOW });

  test('happens exactly at expires_at, to the millisecond', () => {
    expect(domain.check(endsAt, undefined, NOW - 1).transition).toBeNull();
    expect(domain.check(endsAt, undefined, NOW).transition).toMatchObject({
      occurrences: [{ event: 'license.expired' }],
      after: { status: 'expired' },
    });
  });

  test('is noticed by an activation too, even of a bound device', () => {
    for (const known of [undefined, device()]) {
      const { transition, result } = domain.activate(endsAt, known, newDevice, NOW);
      expect(transition).toMatchObject({ occurrences: [{ event: 'license.expired' }], after: { status: 'expired', seats_used: 1 } });
      expect(transition?.devices[0]).toBeUndefined();
      expect(result).toMatchObject({ failure: 'license_expired' });
    }
  });

  test('is not noticed by requests that check nothing: deactivation, reset, revocation', () => {
    expect(domain.deactivate(endsAt, device(), NOW).transition?.after.status).toBe('active');
    expect(domain.reset(endsAt, NOW).transition?.after.status).toBe('active');
    expect(domain.revoke(endsAt, NOW).transition).toMatchObject({
      occurrences: [{ event: 'license.revoked' }],
      after: { status: 'revoked' },
    });
  });

  test('never happens without an expiry', () => {
    expect(domain.check(license({ expires_at: null }), undefined, LAST_INSTANT).transition).toBeNull();
  });
});

describe('a check', () => {
  test('tells the device whether it is bound', () =>
    expect(domain.check(license(), device(), NOW).result).toEqual({ license: license(), bound: { read: device(), device: device() } }));

  test.each([
    ['a device that was never bound', undefined],
    ['a device that was bound before a reset', device({ epoch: 1 })],
  ])('succeeds without a device for %s', (_what, known) => {
    expect(domain.check(license(), known, NOW).result).toEqual({ license: license(), bound: undefined });
  });
});

describe('deactivation', () => {
  test('frees the seat and names the device', () => {
    const { transition, result } = domain.deactivate(license({ seats_used: 3 }), device(), NOW);
    expect(transition).toMatchObject({ after: { seats_used: 2 }, devices: [{ action: 'free', device: device() }] });
    expect(result).toEqual({ freed: true });
  });

  test.each([
    ['a device that is not bound', undefined],
    ['a device that a reset has freed', device({ epoch: 1 })],
  ])('of %s frees no seat and causes no event', (_what, known) => {
    expect(domain.deactivate(license(), known, NOW)).toEqual({ transition: null, result: { freed: false } });
  });
});

describe('a reset', () => {
  test('frees every seat at once, and returns their number', () => {
    const { transition, result } = domain.reset(license({ seats_used: 3 }), NOW);
    expect(transition?.after).toMatchObject({ seats_used: 0, epoch: 3, status: 'active' });
    expect(result).toEqual({ freed: 3 });
    expect(domain.boundDevice(transition!.after, device())).toBeUndefined();
  });

  test('causes an event even if no seat is used', () => {
    const { transition, result } = domain.reset(license({ seats_used: 0 }), NOW);
    expect([transition?.occurrences[0]?.event, result]).toEqual(['license.reset', { freed: 0 }]);
  });
});

describe('revocation', () => {
  test('records its time', () => expect(domain.revoke(license(), NOW).transition?.after.revoked_at).toBe(NOW));

  test('keeps the first time when it is repeated', () => {
    expect(domain.revoke(inStatus.revoked, NOW)).toEqual({ transition: null, result: inStatus.revoked });
  });

  test('keeps seats and expiry unchanged', () => {
    expect(domain.revoke(license(), NOW).transition?.after).toEqual({ ...license(), status: 'revoked', revoked_at: NOW, sequence: 42 });
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
    const { transition, result } = domain.renew(given, renewal, NOW);
    expect(transition).toMatchObject({ occurrences: [{ event: 'license.renewed' }], after: { status: 'active', expires_at } });
    expect(result).toEqual(transition?.after);
  });

  test.each<[string, License, domain.Renewal, ErrorName]>([
    ['moving the expiry back by a millisecond', license(), { expires_at: end - 1 }, 'invalid_request'],
    ['moving a past expiry back', expired, { expires_at: NOW - 2 * DAY }, 'invalid_request'],
    ['with nothing to renew by', lifetime, {}, 'invalid_request'],
    ['of a license that never expires: it would get an expiry', license({ expires_at: null }), {}, 'invalid_request'],
    ['past the year 9999 by days', license({ expires_at: LAST_INSTANT }), { days: 1 }, 'invalid_request'],
    ['past the year 9999 by its term', license({ expires_at: LAST_INSTANT }), {}, 'invalid_request'],
    ['of a revoked license, before anything is said about the dates', inStatus.revoked, { expires_at: 0 }, 'license_revoked'],
  ])('is refused: %s', (_what, given, renewal, failure) => {
    const { transition, result } = domain.renew(given, renewal, NOW);
    expect(transition).toBeNull();
    expect(result).toMatchObject({ failure });
  });

  test('of updates that begin with the first activation is refused with this reason', () => {
    const waiting = license({ expires_at: null, term: { days: 365, updates_days: 365 } });
    const message = 'updates_until is not set: the updates of this license begin with its first activation';
    expect(domain.renewUpdates(waiting, { days: 30 }, NOW).result).toMatchObject({ failure: 'invalid_request', detail: message });
  });

  test('lets the license expire again, with another event', () => {
    const renewed = domain.renew(expired, { days: 1 }, NOW).transition!.after;
    expect(domain.check(renewed, undefined, NOW + DAY).transition).toMatchObject({
      occurrences: [{ event: 'license.expired' }],
      after: { sequence: 43 },
    });
  });

  test('keeps the bound devices', () => {
    expect(domain.boundDevice(domain.renew(expired, {}, NOW).transition!.after, device())).toEqual(device());
  });
});

test.each<[string, Partial<License>, domain.Renewal, RegExp]>([
  [
    'neither a term nor a date',
    { expires_at: null, license_type: { ...license().license_type, duration_days: null } },
    {},
    /^days or expires_at is required/,
  ],
  ['a term past the calendar', { expires_at: LAST_INSTANT }, { days: 1 }, /^days leads past the year 9999/],
  ['a date past the calendar', {}, { expires_at: LAST_INSTANT + 1 }, /^expires_at leads past the year 9999/],
  ['an earlier date', {}, { expires_at: NOW }, /^expires_at must not move the expiry back/],
])('an operator who renews with %s is told which field is wrong', (_what, facts, renewal, detail) => {
  expect(domain.renew(license(facts), renewal, NOW).result).toMatchObject({
    failure: 'invalid_request',
    detail: expect.stringMatching(detail),
  });
});
