import fc from 'fast-check';
import { alone } from '../../lambdas/store/turns';
import { chances, randomFaults } from '../support/intercept';
import { openShop } from '../support/shop';
import { eventsOf, expectWholeHistory } from '../support/table';
import { hold, type Runs } from './runs';
import { Turns } from './turns';

/** More machines than seats, all at once, in a drawn order and through faults. */

interface Storm {
  readonly seed: number;
  readonly machines: number;
  readonly seats: number;
  readonly faultRate: number;
  /** Whether time passes while requests wait to try again, so that their budgets can run out. */
  readonly timePasses: boolean;
}

const storm = (machines: number): fc.Arbitrary<Storm> =>
  fc.record({
    seed: fc.noShrink(fc.nat()),
    machines: fc.constant(machines),
    seats: fc.constantFrom(5, 1),
    faultRate: fc.constantFrom(0, 0.1, 0.4),
    timePasses: fc.boolean(),
  });

const show = (plan: Storm): string[] => [JSON.stringify(plan)];
/** How long an operation may go on retrying before it answers 503 (design.md, The table). */
const BUDGET = 5000;

/** Lets in exactly as many machines as there are seats. Who is answered 503 has waited for his whole budget. */
async function play({ seed, machines, seats, faultRate, timePasses }: Storm): Promise<void> {
  const chance = chances(seed);
  const turns = new Turns(chance, 0);
  const shop = await openShop({ kind: 'lifetime', max_seats: seats }, { inTurn: alone, sleep: (ms) => turns.take(async () => (timePasses ? shop.advance(ms) : undefined)) });
  const { id, key } = await shop.newLicense();
  shop.client.middlewareStack.add((next) => (args) => turns.take(() => next(args)), { step: 'initialize', name: 'turns' });
  const faults = randomFaults(shop.client, seed, faultRate);

  const answers: { readonly status: number; readonly machine: string; readonly waited: number }[] = [];
  await turns.run(
    Array.from({ length: machines }, (_, place) => async () => {
      const [machine, began] = [`machine-${place}`, shop.now()];
      const { status } = await shop.activate(key, machine);
      answers.push({ status, machine, waited: shop.now() - began });
    }),
  );
  faults.active = false;

  const having = (status: number): typeof answers => answers.filter((answer) => answer.status === status);
  const [admitted, full, busy] = [having(200), having(429), having(503)];
  expect(answers.filter(({ status }) => ![200, 429, 503].includes(status))).toEqual([]);
  expect(answers).toHaveLength(machines);
  for (const { waited } of busy) expect(waited).toBeGreaterThanOrEqual(BUDGET);
  if (!timePasses) expect({ admitted: admitted.length, full: full.length }).toEqual({ admitted: Math.min(seats, machines), full: Math.max(0, machines - seats) });

  const license = await shop.license(id);
  const bound = license.activations.map(({ fingerprint }) => fingerprint);
  expect(license.seats).toEqual({ used: bound.length, max: seats });
  expect(bound.length).toBeLessThanOrEqual(seats);
  // Whoever was told that there is no seat was told the truth: nobody leaves this license.
  if (full.length > 0) expect(bound.length).toBe(seats);
  expect(bound).toEqual(expect.arrayContaining(admitted.map(({ machine }) => machine)));
  // An answer that was lost for good may have been of an activation.
  expect(bound.length).toBeLessThanOrEqual(admitted.length + busy.length);
  const events = await eventsOf(id);
  expectWholeHistory(events);
  // All refusals are within a day: the first of them is told.
  expect(events.map(({ event }) => event)).toEqual(['license.created', ...bound.map(() => 'license.activated'), ...(full.length > 0 ? ['license.seats_exhausted'] : [])]);
}

export const playStorms = (runs: Runs, machines: number): Promise<void> => hold('model/storms', runs, storm(machines), show, play);
