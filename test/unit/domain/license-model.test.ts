import fc from 'fast-check';
import { isFailure } from '../../../lambdas/contract/errors';
import type { EventName } from '../../../lambdas/contract/events';
import type { LicenseStatus } from '../../../lambdas/contract/statuses';
import * as domain from './domain';
import type { Decision, Device, License } from './domain';
import { DAY, NOW } from './fixtures';

/** Random histories of a license, told twice: by the domain, and by a model that knows only sets and dates. */

type Operation =
  | { readonly does: 'wait'; readonly ms: number }
  | { readonly does: 'activate' | 'validate' | 'deactivate'; readonly machine: string }
  | { readonly does: 'reset' | 'revoke' }
  | { readonly does: 'renew'; readonly days?: number; readonly until?: number };

const machine = fc.constantFrom('machine-1', 'machine-2', 'machine-3', 'machine-4');
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(1, DAY - 1, DAY, 3 * DAY) }) },
  { weight: 9, arbitrary: fc.record({ does: fc.constantFrom('activate' as const, 'validate' as const, 'deactivate' as const), machine }) },
  { weight: 2, arbitrary: fc.constant({ does: 'reset' as const }) },
  { weight: 1, arbitrary: fc.constant({ does: 'revoke' as const }) },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.constant({ does: 'renew' as const }),
      fc.record({ does: fc.constant('renew' as const), days: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ does: fc.constant('renew' as const), until: fc.integer({ min: -3, max: 8 }).map((days) => NOW + days * DAY) }),
    ),
  },
);

/** The kinds of license that differ in what can happen to them. */
const kind = fc.record({ max_seats: fc.constantFrom(0, 1, 2, 3), duration_days: fc.constantFrom(null, 2) });
type Kind = typeof kind extends fc.Arbitrary<infer Value> ? Value : never;

interface Model {
  now: number;
  status: LicenseStatus;
  end: number | null;
  readonly machines: Set<string>;
  resets: number;
  readonly told: EventName[];
}

/** What a reader of the specification expects, in a word. */
function expected(model: Model, operation: Operation, { max_seats, duration_days }: Kind): string {
  const { machines, told, now } = model;
  switch (operation.does) {
    case 'wait':
      model.now += operation.ms;
      return 'done';
    case 'activate':
    case 'validate':
      if (model.status === 'active' && model.end !== null && now >= model.end) {
        model.status = 'expired';
        told.push('license.expired');
      }
      if (model.status !== 'active') return `license_${model.status}`;
      if (machines.has(operation.machine)) return 'bound';
      if (operation.does === 'validate') return 'not bound';
      if (max_seats > 0 && machines.size === max_seats) return 'no_seats';
      machines.add(operation.machine);
      told.push('license.activated');
      return 'bound';
    case 'deactivate':
      if (!machines.delete(operation.machine)) return 'freed nothing';
      told.push('license.deactivated');
      return 'freed';
    case 'reset': {
      const freed = machines.size;
      machines.clear();
      model.resets += 1;
      told.push('license.reset');
      return `freed ${freed}`;
    }
    case 'revoke':
      if (model.status !== 'revoked') told.push('license.revoked');
      model.status = 'revoked';
      return 'done';
    case 'renew': {
      if (model.status === 'revoked') return 'license_revoked';
      const days = operation.days ?? duration_days;
      const end = operation.until ?? (days === null ? null : Math.max(now, model.end ?? now) + days * DAY);
      if (end === null || (model.end !== null && end < model.end)) return 'invalid_request';
      model.end = end;
      model.status = 'active';
      told.push('license.renewed');
      return 'done';
    }
  }
}

/** The license and its devices as a store would keep them, freed ones of earlier epochs included. */
class Record {
  readonly devices = new Map<string, Device>();
  readonly told: EventName[] = ['license.created'];

  constructor(public license: License) {}

  get bound(): string[] {
    return [...this.devices.values()].flatMap((device) => domain.boundDevice(this.license, device)?.fingerprint ?? []);
  }

  private commit<Answer>({ transition: change, result: answer }: Decision<Answer>): Answer {
    if (change) {
      expect(change.before).toBe(this.license);
      expect(change.after.sequence).toBe(this.license.sequence + 1);
      this.license = change.after;
      this.told.push(change.occurrences[0]!.event);
      const { action, device } = change.devices[0] ?? {};
      if (action === 'bind' && device) this.devices.set(device.fingerprint, device);
      if (action === 'free' && device) this.devices.delete(device.fingerprint);
    }
    return answer;
  }

  /** The answer, in the model's words. */
  apply(operation: Operation, now: number): string {
    const known = 'machine' in operation ? this.devices.get(operation.machine) : undefined;
    switch (operation.does) {
      case 'wait':
        return 'done';
      case 'activate': {
        const answer = this.commit(domain.activate(this.license, known, { fingerprint: operation.machine }, now));
        return isFailure(answer) ? answer.failure : 'bound';
      }
      case 'validate': {
        const answer = this.commit(domain.check(this.license, known, now));
        return isFailure(answer) ? answer.failure : answer.bound ? 'bound' : 'not bound';
      }
      case 'deactivate': {
        const answer = this.commit(domain.deactivate(this.license, known, now));
        return isFailure(answer) ? answer.failure : answer.freed ? 'freed' : 'freed nothing';
      }
      case 'reset': {
        const answer = this.commit(domain.reset(this.license, now));
        return isFailure(answer) ? answer.failure : `freed ${answer.freed}`;
      }
      case 'revoke': {
        const answer = this.commit(domain.revoke(this.license, now));
        return isFailure(answer) ? answer.failure : 'done';
      }
      case 'renew': {
        const answer = this.commit(domain.renew(this.license, { days: operation.days, expires_at: operation.until }, now));
        return isFailure(answer) ? answer.failure : 'done';
      }
    }
  }
}

const issued = ({ max_seats, duration_days }: Kind): License =>
  domain.issue(
    {
      id: 1,
      product_id: 1,
      product_slug: 'photo-studio',
      key: '00000-00000-00000-00000-00000',
      license_type: {
        id: 1,
        name: 'Team',
        kind: duration_days === null ? 'floating' : 'subscription',
        max_seats,
        duration_days,
        features: [],
        lease_minutes: null,
        new_devices_per_week: 0,
      },
      customer_email: null,
      metadata: { json: '{}' },
    },
    NOW,
  ).license;

test('any operations in any order: answers, seats, events and dates are what the specification promises', () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(kind, fc.array(operation, { maxLength: 40 }), (kind, operations) => {
      const record = new Record(issued(kind));
      const model: Model = {
        now: NOW,
        status: 'active',
        end: kind.duration_days === null ? null : NOW + kind.duration_days * DAY,
        machines: new Set(),
        resets: 0,
        told: ['license.created'],
      };
      for (const operation of operations) {
        const before = record.license;
        const answer = expected(model, operation, kind);
        expect(record.apply(operation, model.now)).toBe(answer);
        reached.add(`${operation.does}: ${answer.replace(/\d+/, 'n')}`);

        const { license } = record;
        expect(license.status).toBe(model.status);
        expect(license.expires_at).toBe(model.end);
        // The seats that are counted are the devices that are bound, and never more than there are.
        expect(record.bound.sort()).toEqual([...model.machines].sort());
        expect(license.seats_used).toBe(model.machines.size);
        if (kind.max_seats > 0) expect(license.seats_used).toBeLessThanOrEqual(kind.max_seats);
        // One event for every change, numbered without gaps; no event without a change.
        expect(record.told).toEqual(model.told);
        expect(license.sequence).toBe(model.told.length);
        if (license.sequence === before.sequence) expect(license).toBe(before);
        expect(license.epoch).toBe(model.resets);
        if (before.expires_at !== null) expect(license.expires_at).toBeGreaterThanOrEqual(before.expires_at);
        if (before.status === 'revoked') expect([license.status, license.revoked_at]).toEqual(['revoked', before.revoked_at]);
      }
      // Between two expiries lies a renewal: each is told once.
      expect(model.told.filter((event) => /expired|renewed/.test(event)).join()).not.toMatch(/license\.expired,license\.expired/);
    }),
    { numRuns: 1000 },
  );
  // The histories went everywhere.
  expect([...reached].sort()).toEqual([
    'activate: bound',
    'activate: license_expired',
    'activate: license_revoked',
    'activate: no_seats',
    'deactivate: freed',
    'deactivate: freed nothing',
    'renew: done',
    'renew: invalid_request',
    'renew: license_revoked',
    'reset: freed n',
    'revoke: done',
    'validate: bound',
    'validate: license_expired',
    'validate: license_revoked',
    'validate: not bound',
    'wait: done',
  ]);
});
