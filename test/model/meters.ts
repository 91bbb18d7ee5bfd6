import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { chances, randomFaults } from '../support/intercept';
import { openShop, type Shop } from '../support/shop';
import { eventsOf } from '../support/table';
import type { CallResult } from '../support/harness';
import { DAY } from './license';
import { hold, type Runs } from './runs';
import { noLock, Turns } from './turns';

/**
 * Compares the meter of one license with a model in memory (docs/spec/meters.md): a buyer is neither refused what is included nor given
 * more, whatever happened before or happens at the same time.
 */

export type Act =
  | { readonly act: 'consume'; readonly amount: number; readonly id: number }
  | { readonly act: 'correct'; readonly add: number }
  | { readonly act: 'renew' }
  | { readonly act: 'plan'; readonly plan: number }
  | { readonly act: 'wait'; readonly days: number }
  /** The clock reaches the expiry that the license had when the requests began. */
  | { readonly act: 'reach expiry'; readonly at: number };

const plans = [
  { included: 10, period: 'none', overage: 'refuse', returnable: true },
  { included: 20, period: 'none', overage: 'allow', returnable: false },
  { included: 10, period: 'term', overage: 'refuse', returnable: false },
  { included: 15, period: 'term', overage: 'allow', returnable: false },
  { included: 5, period: 'none', overage: 'refuse', returnable: true },
] as const;

// ── Specification ───────────────────────────────────────────────────────────────────────────────

interface State {
  readonly now: number;
  readonly plan: (typeof plans)[number];
  readonly expiry: number;
  readonly starts: readonly number[];
  /** The start of the period in which `used` was consumed. */
  readonly begins: number;
  readonly used: number;
  readonly reported: number;
  readonly ids: Readonly<Record<number, { readonly amount: number; readonly used: number; readonly at: number }>>;
}

interface Step {
  readonly state: State;
  readonly status: number;
  /** The number in the response. */
  readonly used?: number;
  readonly reached: readonly { readonly name: string; readonly used: number; readonly included: number; readonly percent: number }[];
}

const begins = ({ plan, starts, now }: State): number => (plan.period === 'none' ? 0 : Math.max(...starts.filter((start) => start <= now)));

/** The state at its time. What was consumed in an earlier period no longer counts. */
const current = (state: State): State =>
  begins(state) === state.begins ? state : { ...state, begins: begins(state), used: 0, reported: 0 };

/** The state after what was consumed has become another amount, with the thresholds that it reaches. */
function counted(state: State, used: number): Step {
  const { included } = state.plan;
  const reached = [80, 100].filter((percent) => percent > state.reported && used * 100 >= included * percent);
  return {
    state: { ...state, used, reported: Math.max(state.reported, ...reached) },
    status: 200,
    used,
    reached: reached.map((percent) => ({ name: 'exports', used, included, percent })),
  };
}

function consume(state: State, amount: number, id: number): Step {
  const { now, plan, used, expiry, ids } = state;
  const refused = (status: number): Step => ({ state, status, reached: [] });
  const known = ids[id];
  if (now >= expiry) return refused(403);
  if (known && now < known.at + 30 * DAY) return known.amount === amount ? { ...refused(200), used: known.used } : refused(409);
  if (amount < 0 && !plan.returnable) return refused(422);
  if (amount > 0 && plan.overage === 'refuse' && used + amount > plan.included) return refused(429);
  const step = counted(state, Math.max(0, used + amount));
  return { ...step, state: { ...step.state, ids: { ...ids, [id]: { amount, used: step.state.used, at: now } } } };
}

function perform(before: State, act: Act): Step {
  const state = current(before);
  const quiet = (patch: Partial<State>): Step => ({ state: current({ ...state, ...patch }), status: 200, reached: [] });
  switch (act.act) {
    case 'consume':
      return consume(state, act.amount, act.id);
    case 'correct':
      return counted(state, Math.max(0, state.used + act.add));
    case 'wait':
      return quiet({ now: state.now + act.days * DAY });
    case 'reach expiry':
      return quiet({ now: Math.max(state.now, act.at) });
    case 'renew': {
      const start = Math.max(state.now, state.expiry);
      return quiet({ starts: [...state.starts, start], expiry: start + 30 * DAY });
    }
    case 'plan': {
      const plan = plans[act.plan]!;
      const moved = { ...state, plan };
      return quiet({ plan, ...(plan.period !== state.plan.period && { begins: begins(moved), used: 0, reported: 0 }) });
    }
  }
}

// ── Service ─────────────────────────────────────────────────────────────────────────────────────

/** A license with a meter, and the requests about it. */
interface Subject {
  readonly shop: Shop;
  readonly id: number;
  readonly start: State;
  readonly send: (act: Act) => Promise<CallResult | undefined>;
}

async function openSubject(parts: Parameters<typeof openShop>[1] = {}): Promise<Subject> {
  const shop = await openShop({ kind: 'subscription', duration_days: 30, meters: [{ name: 'exports', ...plans[0] }] }, parts);
  const types = [shop.typeId];
  for (const plan of plans.slice(1)) {
    const body = { name: JSON.stringify(plan), kind: 'subscription', duration_days: 30, meters: [{ name: 'exports', ...plan }] };
    types.push(Number((await shop.call('createLicenseType', { params: { id: shop.productId }, body })).body['id']));
  }
  const { id } = await shop.newLicense();
  const now = shop.now();
  const params = { id };
  const send = async (act: Act): Promise<CallResult | undefined> => {
    switch (act.act) {
      case 'consume':
        return shop.call('consumeForLicense', { params, body: { meter: 'exports', amount: act.amount, id: `consumption-${act.id}` } });
      case 'correct':
        return shop.call('correctMeter', { params: { id, name: 'exports' }, body: { add: act.add } });
      case 'renew':
        return shop.call('renewLicense', { params });
      case 'plan':
        return shop.call('updateLicense', { params, body: { license_type_id: types[act.plan] } });
      case 'wait':
        shop.advance(act.days * DAY);
        return undefined;
      case 'reach expiry':
        shop.advance(Math.max(0, act.at - shop.now()));
        return undefined;
    }
  };
  return {
    shop,
    id,
    start: { now, plan: plans[0], expiry: now + 30 * DAY, starts: [now], begins: 0, used: 0, reported: 0, ids: {} },
    send,
  };
}

/** What the service shows of the meter, and the thresholds that it has reported. */
async function shown({
  shop,
  id,
}: Subject): Promise<{ readonly meter: Readonly<Record<string, unknown>>; readonly reached: readonly unknown[] }> {
  const { body } = await shop.call('listLicenseMeters', { params: { id } });
  const reached = (await eventsOf(id)).flatMap(({ payload }) => ('meter' in payload.data ? [payload.data['meter']] : []));
  const [meter = {}] = body as unknown as readonly Record<string, unknown>[];
  return { meter, reached };
}

const showing = ({ plan: { included, period }, used }: State): object => ({ used, included, period });

// ── One after another ───────────────────────────────────────────────────────────────────────────

const anyConsumption = (ids: number) =>
  fc.record({ act: fc.constant('consume' as const), amount: fc.constantFrom(1, 3, 6, -2), id: fc.nat(ids) });
const anyChange = [
  fc.record({ act: fc.constant('correct' as const), add: fc.constantFrom(-4, -20, 5) }),
  fc.constant({ act: 'renew' as const }),
  fc.record({ act: fc.constant('plan' as const), plan: fc.constantFrom(0, 0, 1, 2, 3, 4, 4) }),
] as const;
const anyWait = fc.record({ act: fc.constant('wait' as const), days: fc.constantFrom(1, 15, 29) });

async function playSequence(sequence: readonly Act[]): Promise<void> {
  const subject = await openSubject();
  let state = subject.start;
  const reached: object[] = [];
  for (const act of sequence) {
    const step = perform(state, act);
    const response = await subject.send(act);
    if (response) expect(response.status).toBe(step.status);
    if (step.used !== undefined) expect(response?.body['used']).toBe(step.used);
    state = step.state;
    reached.push(...step.reached);
    expect(await shown(subject)).toMatchObject({ meter: showing(state), reached });
  }
}

export const playMeters = (runs: Runs): Promise<void> =>
  hold(
    'model/meters',
    runs,
    fc.array(fc.oneof<fc.Arbitrary<Act>[]>(anyConsumption(30), anyConsumption(30), ...anyChange, anyWait), {
      minLength: 10,
      maxLength: 40,
      size: 'max',
    }),
    (run) => run.map((one) => JSON.stringify(one)),
    playSequence,
  );

// ── At the same time ────────────────────────────────────────────────────────────────────────────

interface Operation {
  readonly act: Act;
  /** The number of requests that had begun or ended before, and when this one ended; `end` is infinite if it died. */
  readonly begin: number;
  end: number;
  /** Undefined if the response was lost or 503. */
  response?: CallResult | 'none';
}

/**
 * The possible states after the operations: of each order that explains all responses and the reported thresholds. An operation that ended
 * before another began comes first. An operation whose response was lost may have had no effect.
 */
function explanations(starts: readonly State[], operations: readonly Operation[], reported: readonly unknown[]): State[] {
  const ends = new Map<string, State>();
  const tried = new Set<string>();
  const search = (state: State, left: readonly Operation[], place: number): void => {
    const text = JSON.stringify(state);
    const way = `${left.map((operation) => operations.indexOf(operation)).join()} ${text}`;
    if (tried.has(way)) return;
    tried.add(way);
    if (place === reported.length && left.every(({ response }) => !response)) ends.set(text, state);
    for (const operation of left) {
      const { act, begin, response } = operation;
      const earlier = left.filter((other) => other.end < begin);
      if (earlier.some((other) => other.response)) continue;
      const { state: after, status, used, reached } = perform(state, act);
      if (response && response !== 'none' && response.status !== status) continue;
      // The number in the response to a consumption may lack what other requests consumed at the same time.
      if (response && response !== 'none' && act.act === 'correct' && response.body['used'] !== used) continue;
      const next = place + reached.length;
      if (JSON.stringify(reported.slice(place, next)) !== JSON.stringify(reached)) continue;
      search(
        after,
        left.filter((other) => other !== operation && !earlier.includes(other)),
        next,
      );
    }
  };
  for (const start of starts) search(start, operations, 0);
  return [...ends.values()];
}

interface Bursts {
  readonly seed: number;
  readonly faultRate: number;
  readonly deathRate: number;
  /** The clients of each burst, with the requests that each of them sends one after another. */
  readonly bursts: readonly (readonly (readonly (Act | { readonly act: 'reach expiry' })[])[])[];
}

async function playBursts({ seed, faultRate, deathRate, bursts }: Bursts): Promise<void> {
  const turns = new Turns(chances(seed), deathRate);
  // Each request runs as if in a function instance of its own. A retry takes no time.
  const subject = await openSubject({ withLock: noLock, sleep: () => turns.take(() => Promise.resolve()) });
  const { client } = subject.shop;
  client.middlewareStack.add((next) => (args) => turns.take(() => next(args)), { step: 'initialize', name: 'turns' });
  const faults = randomFaults(client, seed, faultRate);
  let states: readonly State[] = [subject.start];
  let known = 0;
  for (const burst of bursts) {
    const operations: Operation[] = [];
    const { expiry } = states[0]!;
    let moment = 0;
    faults.active = true;
    await turns.run(
      burst.map((acts) => async () => {
        for (const one of acts) {
          const act: Act = one.act === 'reach expiry' ? { ...one, at: expiry } : one;
          const operation: Operation = { act, begin: moment++, end: Infinity };
          operations.push(operation);
          const response = await subject.send(act);
          operation.end = moment++;
          // The clock may reach the expiry during a request, and the time for its retries ends.
          if (response?.status !== 503) operation.response = response ?? 'none';
        }
      }),
    );
    faults.active = false;
    const { meter, reached } = await shown(subject);
    const isShown = (state: State): boolean =>
      state.now === subject.shop.now() && isDeepStrictEqual({ ...meter, ...showing(current(state)) }, meter);
    const ends = explanations(states, operations, reached.slice(known)).filter(isShown);
    if (ends.length === 0) {
      const lines = operations.map(({ act, begin, end, response }) => {
        const shownResponse = !response ? 'lost' : response === 'none' ? '' : `${response.status} ${JSON.stringify(response.body)}`;
        return `${begin}–${end} ${JSON.stringify(act)} → ${shownResponse}`;
      });
      throw new Error(['No order explains:', ...lines, JSON.stringify({ states, meter, reached: reached.slice(known) })].join('\n'));
    }
    states = ends;
    known = reached.length;
  }
}

export const playMeterBursts = (runs: Runs): Promise<void> =>
  hold(
    'model/meters',
    runs,
    fc.record({
      seed: fc.noShrink(fc.nat()),
      faultRate: fc.constantFrom(0, 0, 0.1),
      deathRate: fc.constantFrom(0, 0, 0.03),
      bursts: fc.array(
        fc.array(
          fc.array(
            fc.oneof(
              { weight: 6, arbitrary: anyConsumption(30) },
              ...anyChange,
              // Moves to a smaller plan find most faults.
              fc.constantFrom(...[0, 4].map((plan) => ({ act: 'plan' as const, plan }))),
              fc.constant({ act: 'reach expiry' as const }),
            ),
            {
              minLength: 1,
              maxLength: 3,
              size: 'max',
            },
          ),
          { minLength: 2, maxLength: 4, size: 'max' },
        ),
        { minLength: 1, maxLength: 5, size: 'max' },
      ),
    }),
    ({ bursts, ...rest }) => [JSON.stringify(rest), ...bursts.map((burst) => JSON.stringify(burst))],
    playBursts,
  );
