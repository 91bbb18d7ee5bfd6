import fc from 'fast-check';
import { deviceRefOf } from '../support/devices';
import type { CallResult } from '../support/harness';
import { chances, randomFaults } from '../support/intercept';
import { openShop, type Shop, type StoredLicense } from '../support/shop';
import { eventsOf, expectWholeHistory, type EventRow } from '../support/table';
import { DAY, MINUTE } from './license';
import { hold, type Runs } from './runs';
import { noLock, Turns, type Task } from './turns';

/**
 * More devices than seats send requests simultaneously, in a random order and with faults, and an operator changes the license at the same
 * time.
 */

interface Conditions {
  readonly seed: number;
  readonly faultRate: number;
  /** Whether time passes while a request waits before a retry. If time passes, a request can reach its time limit for retries. */
  readonly timePasses: boolean;
}
const conditions = { seed: fc.noShrink(fc.nat()), faultRate: fc.constantFrom(0, 0.1, 0.4), timePasses: fc.boolean() };

const show = (plan: object): string[] => [JSON.stringify(plan)];
/** How long an operation may retry before it responds with 503 (docs/decisions.md, 1). */
const BUDGET = 5000;

interface Received {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: CallResult['body'];
  readonly device: string;
  readonly waited: number;
  readonly task: Task;
}

/** Executes requests for one product. Their calls to the table are executed one at a time. While a storm runs, some of the calls fail. */
class Storm {
  private constructor(
    readonly shop: Shop,
    private readonly turns: Turns,
  ) {}

  static async prepare({ seed, timePasses }: Conditions, type: object): Promise<Storm> {
    const turns = new Turns(chances(seed), 0);
    const shop: Shop = await openShop(type, {
      withLock: noLock,
      sleep: (ms) => turns.take(async () => (timePasses ? shop.advance(ms) : undefined)),
    });
    shop.client.middlewareStack.add((next) => (args) => turns.take(() => next(args)), { step: 'initialize', name: 'turns' });
    return new Storm(shop, turns);
  }

  /**
   * Many devices and an operator send requests at the same time. A request may be refused with 503 only after it has used its whole time
   * for retries.
   */
  async run(
    { seed, faultRate }: Conditions,
    devices: number,
    act: (device: string) => Promise<CallResult>,
    meanwhile: readonly ((task: Task) => Promise<void>)[] = [],
  ): Promise<Received[]> {
    const { shop } = this;
    const faults = randomFaults(shop.client, seed, faultRate);
    const received: Received[] = [];
    const works = Array.from({ length: devices }, (_, place) => async (task: Task): Promise<void> => {
      const [device, began] = [`device-${place}`, shop.now()];
      const { status, headers, body } = await act(device);
      received.push({ status, code: headers['X-Svc-Error-Code'], body, device, waited: shop.now() - began, task });
    });
    await this.turns.run([...works, ...meanwhile]);
    faults.active = false;
    expect(received).toHaveLength(devices);
    for (const { waited } of having(received, 503)) expect(waited).toBeGreaterThanOrEqual(BUDGET);
    return received;
  }
}

const having = (received: readonly Received[], status: number): Received[] => received.filter((one) => one.status === status);
const expectOnly = (received: readonly Received[], statuses: readonly number[]): void =>
  expect(received.filter(({ status }) => !statuses.includes(status)).map(({ status, body }) => ({ status, body }))).toEqual([]);
const devicesOf = (received: readonly Received[]): string[] => received.map(({ device }) => device);

// ── Seats ───────────────────────────────────────────────────────────────────────────────────────

interface Seats extends Conditions {
  readonly devices: number;
  readonly seats: number;
}

/** Checks that as many devices are activated as there are seats. */
async function playSeats(plan: Seats): Promise<void> {
  const { devices, seats, timePasses } = plan;
  const storm = await Storm.prepare(plan, { kind: 'lifetime', max_seats: seats });
  const { shop } = storm;
  const { id, key } = await shop.newLicense();
  const received = await storm.run(plan, devices, (device) => shop.activate(key, device));
  expectOnly(received, [200, 429, 503]);
  const [admitted, full, busy] = [having(received, 200), having(received, 429), having(received, 503)];
  if (!timePasses)
    expect({ admitted: admitted.length, full: full.length }).toEqual({
      admitted: Math.min(seats, devices),
      full: Math.max(0, devices - seats),
    });

  const license = await shop.license(id);
  const bound = license.activations.map(({ fingerprint }) => fingerprint);
  expect(license.seats).toEqual({ used: bound.length, max: seats });
  expect(bound.length).toBeLessThanOrEqual(seats);
  // If a device was refused because the license was full, all seats must still be taken, because no device was freed.
  if (full.length > 0) expect(bound.length).toBe(seats);
  expect(bound).toEqual(expect.arrayContaining(devicesOf(admitted)));
  // A device whose request failed with 503 may be bound, if the table executed the transaction and only its response was lost.
  expect(bound.length).toBeLessThanOrEqual(admitted.length + busy.length);
  const events = await eventsOf(id);
  expectWholeHistory(events);
  // A full license is reported once a day. A storm takes less than a day, so only the first refusal is reported.
  expect(events.map(({ event }) => event)).toEqual([
    'license.created',
    ...bound.map(() => 'license.activated'),
    ...(full.length > 0 ? ['license.seats_exhausted'] : []),
  ]);
}

export const playSeatStorms = (runs: Runs, devices: number): Promise<void> =>
  hold('model/storms', runs, fc.record({ ...conditions, devices: fc.constant(devices), seats: fc.constantFrom(5, 1) }), show, playSeats);

// ── Leases ──────────────────────────────────────────────────────────────────────────────────────

interface Leases extends Conditions {
  readonly devices: number;
  /** The numbers of devices with ended leases, of devices with active leases, and of free seats. */
  readonly ended: number;
  readonly living: number;
  readonly free: number;
}

const LEASE_MINUTES = 120;

/** Checks that as many devices are activated as there are free seats and ended leases, and that each ended lease is freed at most once. */
async function playLeases(plan: Leases): Promise<void> {
  const { devices, ended, living, free, timePasses } = plan;
  const seats = ended + living + free;
  const storm = await Storm.prepare(plan, { kind: 'floating', max_seats: seats, lease_minutes: LEASE_MINUTES });
  const { shop } = storm;
  const { id, key } = await shop.newLicense();
  const [gone, present] = [names('gone-device', ended), names('present-device', living)];
  for (const device of [...gone, ...present]) await shop.activate(key, device);
  shop.advance((LEASE_MINUTES - 1) * MINUTE);
  for (const device of present) await shop.validate(key, device);
  shop.advance(MINUTE);

  const received = await storm.run(plan, devices, (device) => shop.activate(key, device));
  expectOnly(received, [200, 429, 503]);
  const [admitted, full] = [having(received, 200), having(received, 429)];
  if (!timePasses)
    expect({ admitted: admitted.length, full: full.length }).toEqual({
      admitted: Math.min(ended + free, devices),
      full: Math.max(0, devices - ended - free),
    });

  const license = await shop.license(id);
  const bound = license.activations.map(({ fingerprint }) => fingerprint);
  expect(license.seats).toEqual({ used: bound.length, max: seats });
  expect(bound.length).toBeLessThanOrEqual(seats);
  // Devices with active leases keep their seats, and each activated device has a seat.
  expect(bound).toEqual(expect.arrayContaining([...present, ...devicesOf(admitted)]));
  // A refusal is right only if every seat has an active lease.
  if (full.length > 0) expect(bound.filter((device) => gone.includes(device))).toEqual([]);

  const events = await eventsOf(id);
  expectWholeHistory(events);
  const freed = events.filter(({ event }) => event === 'license.deactivated');
  expect(freed.map(({ payload }) => payload.data.device?.fingerprint).sort()).toEqual(
    gone.filter((device) => !bound.includes(device)).sort(),
  );
  for (const { payload } of freed) expect(payload.data).toMatchObject({ reason: 'lease_ended' });
  expectSeatsHeld(events);
  expect(events.filter(({ event }) => event === 'license.seats_exhausted')).toHaveLength(Math.min(1, full.length));
}

const names = (name: string, count: number): string[] => Array.from({ length: count }, (_, place) => `${name}-${place}`);

/** Checks that no event of an activation shows more used seats than the license has. */
function expectSeatsHeld(events: readonly EventRow[]): void {
  for (const { event, payload } of events) {
    const { used, max } = payload.data.license.seats as { readonly used: number; readonly max: number };
    if (event === 'license.activated' && max > 0) expect(used).toBeLessThanOrEqual(max);
  }
}

export const playLeaseStorms = (runs: Runs, devices: number): Promise<void> =>
  hold(
    'model/storms',
    runs,
    fc
      .record({
        ...conditions,
        devices: fc.constant(devices),
        ended: fc.constantFrom(4, 1, 0),
        living: fc.constantFrom(3, 0),
        free: fc.constantFrom(0, 1),
      })
      .filter(({ ended, living, free }) => ended + living + free > 0),
    show,
    playLeases,
  );

// ── Terms ───────────────────────────────────────────────────────────────────────────────────────

interface Terms extends Conditions {
  readonly devices: number;
}

/** Simultaneous first activations start one term, which every response shows. */
async function playTerms(plan: Terms): Promise<void> {
  const storm = await Storm.prepare(plan, { kind: 'subscription', duration_days: 30, updates_days: 60, starts: 'activation' });
  const { shop } = storm;
  const { id, key } = await shop.newLicense();
  const received = await storm.run(plan, plan.devices, (device) => shop.activate(key, device));
  expectOnly(received, [200, 503]);
  const events = await eventsOf(id);
  expectWholeHistory(events);
  const { expires_at, activations } = await shop.license(id);
  const shown = having(received, 200).map(({ body }) => (body['license'] as unknown as { readonly expires_at: string }).expires_at);
  const reported = events.filter(({ event }) => event === 'license.activated').map(({ payload }) => payload.data.license);
  expect(reported).toHaveLength(activations.length);
  if (activations.length === 0) return expect([expires_at, shown]).toEqual([null, []]);
  expect(new Set([...shown, ...reported.map((license) => (license as unknown as StoredLicense).expires_at)])).toEqual(
    new Set([expires_at]),
  );
  const ends = reported.map((license) => (license as unknown as { readonly updates: { readonly until: string } }).updates.until);
  expect(new Set(ends)).toEqual(new Set([new Date(Date.parse(expires_at!) + 30 * DAY).toISOString()]));
  // No other event starts or moves a term.
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['license.created', 'license.activated']));
}

export const playTermStorms = (runs: Runs, devices: number): Promise<void> =>
  hold('model/storms', runs, fc.record({ ...conditions, devices: fc.constant(devices) }), show, playTerms);

// ── Replacements ────────────────────────────────────────────────────────────────────────────────

interface Replacements extends Conditions {
  readonly devices: number;
  readonly seats: number;
  /** Whether all requests ask for the seat of the same device. */
  readonly same: boolean;
}

/** Each replaced seat goes to exactly one of the requesting devices, and the previous device is freed in the same transaction. */
async function playReplacements(plan: Replacements): Promise<void> {
  const { devices, seats, same, timePasses } = plan;
  const storm = await Storm.prepare(plan, { kind: 'lifetime', max_seats: seats });
  const { shop } = storm;
  const { id, key } = await shop.newLicense();
  const owners = names('old-device', seats);
  for (const owner of owners) await shop.activate(key, owner);
  const replaceable = same ? owners.slice(0, 1) : owners;
  const refs = replaceable.map((fingerprint) => deviceRefOf({ id }, fingerprint));
  let asked = 0;
  const received = await storm.run(plan, devices, (device) => shop.activate(key, device, { replace: refs[asked++ % refs.length] }));
  expectOnly(received, [200, 429, 503]);
  const admitted = having(received, 200);
  if (!timePasses) expect(admitted).toHaveLength(Math.min(replaceable.length, devices));

  const license = await shop.license(id);
  const bound = license.activations.map(({ fingerprint }) => fingerprint);
  expect(license.seats).toEqual({ used: seats, max: seats });
  expect(bound).toHaveLength(seats);
  expect(bound).toEqual(expect.arrayContaining([...devicesOf(admitted), ...owners.filter((owner) => !replaceable.includes(owner))]));
  const events = await eventsOf(id);
  expectWholeHistory(events);
  expectSeatsHeld(events);
  // After the activations of the first devices, every event of a freed seat is followed by the event of the device that takes the seat.
  const changes = events.map(({ event }) => event).filter((event) => event !== 'license.created' && event !== 'license.seats_exhausted');
  const taken = bound.filter((device) => !owners.includes(device));
  expect(changes.slice(seats)).toEqual(taken.flatMap(() => ['license.deactivated', 'license.activated']));
  for (const { event, payload } of events) if (event === 'license.deactivated') expect(payload.data).toMatchObject({ reason: 'replaced' });
}

export const playReplacementStorms = (runs: Runs, devices: number): Promise<void> =>
  hold(
    'model/storms',
    runs,
    fc.record({ ...conditions, devices: fc.constant(devices), seats: fc.constantFrom(3, 1), same: fc.boolean() }),
    show,
    playReplacements,
  );

// ── Trials ──────────────────────────────────────────────────────────────────────────────────────

interface Trials extends Conditions {
  readonly requests: number;
}

/** Simultaneous requests of one device get one trial. */
async function playTrials(plan: Trials): Promise<void> {
  const storm = await Storm.prepare(plan, { kind: 'trial', duration_days: 14, self_service: true, max_seats: 1 });
  const { shop } = storm;
  const received = await storm.run(plan, plan.requests, () =>
    shop.call('startTrial', { params: { id: shop.productId }, apiKey: shop.apiKey, body: { fingerprint: 'the-one-device' } }),
  );
  expectOnly(received, [200, 201, 503]);
  const given = [...having(received, 200), ...having(received, 201)];
  expect(having(received, 201).length).toBeLessThanOrEqual(1);
  if (having(received, 503).length === 0) expect(having(received, 201)).toHaveLength(1);
  const ids = new Set(given.map(({ body }) => (body['license'] as unknown as { readonly id: number }).id));
  const { body } = await shop.call('listLicenses', { params: { id: shop.productId } });
  const licenses = body as unknown as readonly { readonly id: number; readonly seats: object }[];
  expect(licenses.length).toBeLessThanOrEqual(1);
  expect([...ids]).toEqual(given.length > 0 ? licenses.map(({ id }) => id) : []);
  for (const { id, seats } of licenses) {
    expect(seats).toEqual({ used: 1, max: 1 });
    expect((await eventsOf(id)).map(({ event }) => event)).toEqual(['license.created', 'license.activated']);
  }
}

export const playTrialStorms = (runs: Runs, requests: number): Promise<void> =>
  hold('model/storms', runs, fc.record({ ...conditions, requests: fc.constant(requests) }), show, playTrials);

// ── Simultaneous changes by an operator ─────────────────────────────────────────────────────────

const meanwhile = {
  suspend: [['suspendLicense', undefined]],
  pause: [
    ['suspendLicense', undefined],
    ['reinstateLicense', undefined],
  ],
  fewerSeats: [['updateLicense', { max_seats: 2 }]],
  moreSeats: [['updateLicense', { max_seats: 9 }]],
  reissue: [['reissueLicense', undefined]],
} as const satisfies Readonly<Record<string, readonly (readonly [string, object | undefined])[]>>;

interface Operated extends Conditions {
  readonly devices: number;
  readonly seats: number;
  readonly does: keyof typeof meanwhile;
}

/**
 * Checks that no activation takes a seat that does not exist. After an operator has suspended the license or reissued its key, no device is
 * activated with the old key until the license is reinstated.
 */
async function playOperated(plan: Operated): Promise<void> {
  const { devices, seats, does } = plan;
  const storm = await Storm.prepare(plan, { kind: 'lifetime', max_seats: seats });
  const { shop } = storm;
  const { id, key } = await shop.newLicense();
  const statuses: number[] = [];
  const ends: Task[] = [];
  const received = await storm.run(plan, devices, (device) => shop.activate(key, device), [
    async (task) => {
      ends.push(task);
      for (const [endpoint, body] of meanwhile[does])
        statuses.push((await shop.call(endpoint, { params: { id }, ...(body && { body }) })).status);
    },
  ]);
  expectOnly(received, [200, 403, 429, 503]);
  expect(statuses.filter((status) => status !== 200 && !(status === 503 && plan.timePasses))).toEqual([]);

  const events = await eventsOf(id);
  expectWholeHistory(events);
  expectSeatsHeld(events);
  const happened = events.map(({ event }) => event);
  const place = (event: string): number => (happened.includes(event) ? happened.indexOf(event) : happened.length);
  const endedAt = Math.min(place('license.suspended'), place('license.reissued'));
  const until = does === 'pause' && happened.includes('license.reinstated') ? place('license.reinstated') : happened.length;
  expect(happened.slice(endedAt, until)).not.toContain('license.activated');

  // Activations that began after the operator had received the response were refused.
  if ((does === 'suspend' || does === 'reissue') && statuses.every((status) => status === 200)) {
    const late = received.filter(({ task, status }) => status !== 503 && ends.every(({ end }) => task.begin > end));
    for (const { status, code } of late)
      expect({ status, code }).toEqual({ status: 403, code: does === 'suspend' ? 'license_suspended' : 'license_revoked' });
  }
  const license = await shop.license(id);
  expect(license.seats.used).toBe(license.activations.length);
  // A reissue frees every seat. If the reissue was refused with 503, the devices keep their seats.
  const bound = license.activations.map(({ fingerprint }) => fingerprint);
  if (happened.includes('license.reissued')) expect(bound).toEqual([]);
  else expect(bound).toEqual(expect.arrayContaining(devicesOf(having(received, 200))));
}

export const playOperatedStorms = (runs: Runs, devices: number): Promise<void> =>
  hold(
    'model/storms',
    runs,
    fc.record({
      ...conditions,
      devices: fc.constant(devices),
      seats: fc.constantFrom(5, 0),
      does: fc.constantFrom<Operated['does'][]>('suspend', 'reissue', 'pause', 'fewerSeats', 'moreSeats'),
    }),
    show,
    playOperated,
  );

// ── Meters ──────────────────────────────────────────────────────────────────────────────────────

/** What happens to the license of a meter before or while many requests consume from the meter. */
type MeterCase = 'nothing' | 'takes back' | 'correction' | 'new term' | 'renewal' | 'larger plan' | 'other period';

interface Consumers extends Conditions {
  readonly requests: number;
  readonly overage: 'refuse' | 'allow';
  readonly happens: MeterCase;
}

/**
 * Many function instances consume from one meter, each id twice. No more is consumed than is included, each id counts once, and each
 * threshold is reported once. The number at the end is the sum of the responses in the current period.
 */
async function playConsumers(plan: Consumers): Promise<void> {
  const { requests, happens, timePasses } = plan;
  // About half of what the requests ask for.
  const included = requests / 2;
  const period = happens === 'new term' || happens === 'renewal' ? 'term' : 'none';
  const returnable = happens === 'takes back';
  const exports = { name: 'exports', included, period, overage: plan.overage, returnable };
  const storm = await Storm.prepare(plan, { kind: 'subscription', duration_days: 30, meters: [exports] });
  const { shop } = storm;
  const { id, key } = await shop.newLicense();
  await shop.activate(key, 'the-one-device');
  const change = (name: string, body?: object): Promise<CallResult> => shop.call(name, { params: { id }, ...(body && { body }) });
  const correct = (body: object): Promise<CallResult> => shop.call('correctMeter', { params: { id, name: 'exports' }, body });
  const amountOf = (place: number): number => (returnable && place % 3 === 1 ? -1 : 1 + (place % 3));
  const consume = (place: number): Promise<CallResult> =>
    shop.call('consume', {
      params: { id: shop.productId },
      apiKey: shop.apiKey,
      body: { key, fingerprint: 'the-one-device', meter: 'exports', amount: amountOf(place), id: `consumption-${place}` },
    });

  // More was consumed before than could be given back. In the cases with terms, everything that the old term includes was consumed.
  const before = returnable ? included / 2 : period === 'term' ? included : 0;
  await correct({ used: before });
  if (happens === 'new term') await change('renewLicense');
  if (period === 'term') shop.advance(30 * DAY);
  const terms = { kind: 'subscription', duration_days: 30 } as const;
  const newPlan = async (name: string, meter: object): Promise<object> => {
    const body = { name, ...terms, meters: [{ ...exports, ...meter }] };
    const { body: type } = await shop.call('createLicenseType', { params: { id: shop.productId }, body });
    return { license_type_id: type['id'] };
  };
  const plans = {
    'larger plan': await newPlan('Larger', { included: 2 * included }),
    'other period': await newPlan('Monthly', { period: 'month', returnable: false }),
  } as const;
  const changes: CallResult[] = [];
  const received = await storm.run(
    plan,
    requests,
    (device) => consume(Math.floor(Number(device.replace('device-', '')) / 2)),
    happens === 'nothing' || happens === 'takes back' || happens === 'new term'
      ? []
      : [
          async () => {
            changes.push(
              happens === 'correction'
                ? await correct({ add: 5 })
                : happens === 'renewal'
                  ? await change('renewLicense')
                  : await change('updateLicense', plans[happens]),
            );
          },
        ],
  );
  expectOnly(received, [200, 429, 503, ...(happens === 'renewal' ? [403] : [])]);
  expect(changes.filter(({ status }) => status !== 200 && !(status === 503 && timePasses))).toEqual([]);

  // Each id is sent again: a request that was busy is now counted or refused, and a request that was counted gets its first response.
  const places = Array.from({ length: requests / 2 }, (_, place) => place);
  const counted: CallResult['body'][] = [];
  for (const place of places) {
    const twins = received.filter(({ device }) => Math.floor(Number(device.replace('device-', '')) / 2) === place);
    const [first] = having(twins, 200);
    const again = await consume(place);
    if (first) expect([again.status, again.body]).toEqual([200, first.body]);
    for (const twin of having(twins, 200)) expect(twin.body).toEqual(first?.body);
    // What is used up stays used up, unless something else happens meanwhile.
    if (happens === 'nothing' && first) expect(having(twins, 429)).toEqual([]);
    if (again.status === 200) counted.push({ ...again.body, amount: amountOf(place) as never });
  }
  const meters = (await shop.call('listLicenseMeters', { params: { id } })).body as unknown as readonly Record<string, unknown>[];
  const [meter = {}] = meters;
  const current = counted.filter((one) => one['period'] === meter['period'] && one['resets_at'] === meter['resets_at']);
  const sum = current.reduce((total, one) => total + Number(one['amount']), 0);
  const corrected = happens === 'correction' && changes[0]?.status === 200 ? 5 : 0;
  const carried = period === 'none' && happens !== 'other period' ? before : 0;
  const used = Number(meter['used']);
  if (changes.every(({ status }) => status === 200)) expect(used).toBe(carried + corrected + sum);
  if (plan.overage === 'refuse') expect(used).toBeLessThanOrEqual(Number(meter['included']) + (happens === 'correction' ? 5 : 0));

  const events = await eventsOf(id);
  expectWholeHistory(events);
  const reached = events.flatMap(({ event, payload }) =>
    event === 'license.meter_reached'
      ? [(payload.data as unknown as { meter: { used: number; included: number; percent: number } }).meter]
      : [],
  );
  for (const one of reached) expect(one.used * 100).toBeGreaterThanOrEqual(one.included * one.percent);
  const isReached = (percent: number): boolean => used * 100 >= Number(meter['included']) * percent;
  if (happens === 'nothing') expect(reached.map(({ percent }) => percent)).toEqual([80, 100].filter(isReached));
}

export const playConsumerStorms = (runs: Runs, requests: number): Promise<void> =>
  hold(
    'model/storms',
    runs,
    fc.record({
      ...conditions,
      requests: fc.constant(requests),
      overage: fc.constantFrom('refuse' as const, 'allow' as const),
      happens: fc.constantFrom<MeterCase[]>('nothing', 'takes back', 'correction', 'new term', 'renewal', 'larger plan', 'other period'),
    }),
    show,
    playConsumers,
  );
