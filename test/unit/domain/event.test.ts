import fc from 'fast-check';
import { EVENT_RANDOM_BYTES, eventId, eventsOf, testEvent, type Event } from '../../../lambdas/domain/event';
import * as domain from './domain';
import type { Transition, Decision } from './domain';
import { device, license, NOW, shown } from './fixtures';

const random = Uint8Array.of(1, 2, 3, 4, 5, 6, 255);
const eventOf = (transition: Pick<Transition, 'occurrences' | 'at'>): Event => eventsOf(transition, () => random)[0]!;
const payload = (transition: Transition): Record<string, unknown> => JSON.parse(eventOf(transition).body) as Record<string, unknown>;

const transitionOf = ({ transition }: Decision<unknown>): Transition => {
  if (!transition) throw new Error('There is no transition');
  return transition;
};
const activated = transitionOf(domain.activate(license(), undefined, { fingerprint: 'machine-2', name: 'Büro', platform: 'macos' }, NOW));

describe('an id always names the same event', () => {
  test('an id consists of the license id, the sequence number and random bits, as 32 hex digits', () => {
    expect(eventId(7, 42, random)).toBe('0000000007' + '0000002a' + '010203040506ff');
  });

  test('the event ids of a license sort in the order of the events, and the ids of different licenses are not mixed', () => {
    const bytes = fc.uint8Array({ minLength: EVENT_RANDOM_BYTES, maxLength: EVENT_RANDOM_BYTES });
    const id = fc.integer({ min: 1, max: 2 ** 40 - 1 });
    const sequence = fc.integer({ min: 1, max: 2 ** 32 - 2 });
    fc.assert(
      fc.property(id, sequence, bytes, bytes, (of, number, a, b) => {
        const [first, second] = [eventId(of, number, a), eventId(of, number + 1, b)];
        expect(first).toMatch(/^[0-9a-f]{32}$/);
        expect(first < second).toBe(true);
        expect(Number.parseInt(first.slice(0, 10), 16)).toBe(of);
      }),
    );
  });

  test('an id contains all 56 random bits, so nobody can guess it', () => {
    expect(EVENT_RANDOM_BYTES * 8).toBe(56);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: EVENT_RANDOM_BYTES, maxLength: EVENT_RANDOM_BYTES }), (bytes) => {
        expect(eventId(1, 1, bytes).slice(18)).toBe(Buffer.from(bytes).toString('hex'));
      }),
    );
  });
});

describe('a receiver can read the payload', () => {
  test('license.activated has exactly the specified form', () => {
    expect(payload(activated)).toEqual({
      id: '00000000070000002a010203040506ff',
      event: 'license.activated',
      timestamp: '2026-11-20 13:52:00.123+00:00',
      data: {
        product: 'photo-studio',
        license: { ...shown, seats: { used: 2, max: 3 }, sequence: 42 },
        device: {
          fingerprint: 'machine-2',
          platform: 'macos',
          name: 'Büro',
          activated_at: '2026-11-20T13:52:00.123Z',
          lease_expires_at: null,
          last_seen_on: '2026-11-20',
        },
      },
    });
  });

  const bound = device();
  const others: [string, Transition, boolean][] = [
    ['license.activated', activated, true],
    ['license.deactivated', transitionOf(domain.deactivate(license(), bound, NOW)), true],
    ['license.reset', transitionOf(domain.reset(license(), NOW)), false],
    ['license.revoked', transitionOf(domain.revoke(license(), NOW)), false],
    ['license.renewed', transitionOf(domain.renew(license(), {}, NOW)), false],
    ['license.expired', transitionOf(domain.check(license({ expires_at: NOW }), bound, NOW)), false],
  ];

  test.each(others)(
    '%s contains the license after the change, its sequence, and a device only if one is affected',
    (name, transition, hasDevice) => {
      const { event, data } = payload(transition) as { event: string; data: { license: Record<string, unknown> } };
      expect(event).toBe(name);
      expect(Object.keys(data)).toEqual(hasDevice ? ['product', 'license', 'device'] : ['product', 'license']);
      expect(data.license).toMatchObject({ sequence: 42, status: transition.after.status });
      expect(data.license).not.toHaveProperty('activations');
    },
  );

  test('license.created is the first of its sequence', () => {
    const created = license({ sequence: 1, seats_used: 0 });
    const { body } = eventOf({ occurrences: [{ event: 'license.created', license: created, previous_status: 'active' }], at: NOW });
    expect(JSON.parse(body)).toMatchObject({ event: 'license.created', data: { license: { sequence: 1 } } });
    expect(body).not.toContain('"device":');
  });

  test('a deactivation names the device that was freed, and the seats without it', () => {
    expect(payload(others[1]![1])).toMatchObject({
      data: { license: { seats: { used: 0, max: 3 } }, device: { fingerprint: bound.fingerprint } },
    });
  });

  test('an expiry event contains no device, even if the check that noticed the expiry named a device', () => {
    expect(payload(others[5]![1])).not.toHaveProperty(['data', 'device']);
  });

  test("the id in the body is the id of the row, so that a receiver's report can be found in the log", () => {
    const event = eventOf(activated);
    expect((JSON.parse(event.body) as { id: string }).id).toBe(event.id);
  });
});

test('an event is due from the start and belongs to its product and license', () => {
  expect(eventOf(activated)).toEqual({
    id: '00000000070000002a010203040506ff',
    event: 'license.activated',
    product_id: 3,
    license_id: 7,
    body: expect.any(String) as unknown,
    status: 'pending',
    created_at: NOW,
  });
});

test('an event with another status contains the previous one; otherwise the overview would count a license twice', () => {
  const renewed = transitionOf(domain.renew(license({ status: 'expired', expires_at: NOW }), { days: 1 }, NOW));
  expect(eventOf(renewed).previous_status).toBe('expired');
  expect(eventOf(transitionOf(domain.revoke(license(), NOW))).previous_status).toBe('active');
  expect(eventOf(transitionOf(domain.reset(license(), NOW)))).not.toHaveProperty('previous_status');
});

test('a test event names its product and no license, so that nobody mistakes it for a change', () => {
  const event = testEvent({ id: 3, slug: 'photo-studio' }, NOW, random);
  expect(event).toMatchObject({ event: 'webhook.test', product_id: 3, license_id: null, status: 'pending', created_at: NOW });
  expect(JSON.parse(event.body)).toEqual({
    id: event.id,
    event: 'webhook.test',
    timestamp: '2026-11-20 13:52:00.123+00:00',
    data: { product: 'photo-studio' },
  });
  expect(event.id).toMatch(/^[0-9a-f]{32}$/);
});
