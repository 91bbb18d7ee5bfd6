import * as z from 'zod/mini';
import { fail, type Failure } from '../contract/errors';
import type { AdminMeterView, MeterTerms, MeterView } from '../contract/resources';
import { effectiveMeters, type License } from './license';
import { nextTerm, termStart } from './terms';
import { monthsAfter, timestampOrNull } from './time';
import { begin, fire, transitionOf, type Transition } from './transition';
import { isFailure } from '../contract/errors';
import { number, type Stored } from './stored';

/**
 * Counts what is consumed from the meters of a license (docs/spec/meters.md, Meters). A meter has one row, with what was consumed in the
 * period to which the row belongs. Times are epoch ms.
 */

/** What was consumed from a meter, as it is stored. */
export const meterStateSchema = z.object({
  /** How often the meter had changed its period (`MeterChange` in `license.ts`). */
  generation: number,
  /** The start of the period in which `used` was consumed; 0 for a meter without periods. */
  begins: number,
  used: number,
  /** The highest threshold that was reported in this period, in percent; 0 if none was. */
  reported: number,
  /** The sequence of the license after the latest change of the meter's terms; 0 if they have not changed. */
  terms_sequence: z._default(number, 0),
});
export interface MeterState extends Stored<typeof meterStateSchema> {}

/** The largest amount that a meter can count. */
const MAX_USED = Number.MAX_SAFE_INTEGER;

/** The meter with this name. */
export const meterOf = (license: License, name: string): MeterTerms | undefined =>
  effectiveMeters(license).find((meter) => meter.name === name);

/** The changes of periods after the license's meters were replaced. */
export function meterChanges(before: License, after: readonly MeterTerms[]): License['meter_changes'] {
  const changes = new Map(Object.entries(before.meter_changes));
  const generationOf = (name: string): number => changes.get(name)?.generation ?? 0;
  const present = new Map(effectiveMeters(before).map((meter) => [meter.name, meter.period]));
  for (const { name, period } of after) {
    const earlier = present.get(name) ?? changes.get(name)?.period;
    if (earlier !== undefined && earlier !== period) changes.set(name, { period, generation: generationOf(name) + 1 });
  }
  // A meter that leaves may return with the same period. Then it keeps what was consumed in this period.
  for (const [name, period] of present)
    if (!after.some((meter) => meter.name === name)) changes.set(name, { period, generation: generationOf(name) });
  return Object.fromEntries([...changes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The start of the month that contains a time. Months begin on the day and at the time of `created_at`. */
function monthStart(created_at: number, now: number): { readonly begins: number; readonly ends: number } {
  const [from, to] = [new Date(created_at), new Date(now)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  const index = monthsAfter(created_at, months) > now ? months - 1 : months;
  return { begins: monthsAfter(created_at, index), ends: monthsAfter(created_at, index + 1) };
}

/** The numbers of a meter in its current period. */
interface Reading extends Omit<MeterState, 'terms_sequence'> {
  readonly terms: MeterTerms;
  /** When the next period begins; null: never, or not known. */
  readonly resets: number | null;
  /** Whether the stored row belongs to an earlier period, or there is no row. */
  readonly isNew: boolean;
}

/**
 * The numbers of a meter now. If another request has already begun a later period, that period is the current one: the clocks of two
 * requests may differ, and a period never begins twice.
 */
export function readMeter(license: License, terms: MeterTerms, state: MeterState | undefined, now: number): Reading {
  const generation = license.meter_changes[terms.name]?.generation ?? 0;
  const known = state?.generation === generation ? state : undefined;
  const at = Math.max(now, known?.begins ?? 0);
  const { begins, resets } =
    terms.period === 'none'
      ? { begins: 0, resets: null }
      : terms.period === 'month'
        ? { begins: monthStart(license.created_at, at).begins, resets: monthStart(license.created_at, at).ends }
        : { begins: termStart(license, at), resets: earliest(nextTerm(license, at), license.expires_at) };
  const current = known?.begins === begins ? known : undefined;
  return { terms, generation, begins, resets, used: current?.used ?? 0, reported: current?.reported ?? 0, isNew: current === undefined };
}

const earliest = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b));

/** The license's meters by name, with their numbers now. */
export const readAllMeters = (license: License, states: ReadonlyMap<string, MeterState> | undefined, now: number): Reading[] =>
  effectiveMeters(license).map((terms) => readMeter(license, terms, states?.get(terms.name), now));

export const meterView = ({ terms, resets }: Pick<Reading, 'terms' | 'resets'>, used: number): MeterView => ({
  meter: terms.name,
  used,
  included: terms.included,
  remaining: Math.max(0, terms.included - used),
  period: terms.period,
  resets_at: timestampOrNull(resets),
});

export const adminMeterView = (reading: Pick<Reading, 'terms' | 'resets'>, used: number): AdminMeterView => ({
  ...meterView(reading, used),
  overage: reading.terms.overage,
  returnable: reading.terms.returnable,
});

/** The change of a meter's row. */
export interface MeterWrite {
  readonly reading: Reading;
  readonly used: number;
  readonly reported: number;
  /**
   * The condition on the stored amount. A request that reaches no threshold needs only that the amount still fits, so that simultaneous
   * requests do not invalidate each other. Every other request needs exactly the amount that was read.
   */
  readonly fits: { readonly from: number; readonly to: number } | 'as read';
}

/** A write, and the transition with the events of the thresholds that it reaches; null if it reaches none. */
export interface MeterDecision {
  readonly write: MeterWrite;
  readonly transition: Transition | null;
}

const thresholds = [80, 100] as const;

/** The smallest amount at which a threshold is reached: exact for all integers. */
const amountAt = (included: number, percent: number): number => Number((BigInt(included) * BigInt(percent) + 99n) / 100n);

/** Sets what was consumed, and reports the thresholds that are reached and were not reported in this period. */
function write(license: License, reading: Reading, used: number, now: number): MeterDecision {
  const { included, name } = reading.terms;
  const reached = thresholds.filter((percent) => included > 0 && percent > reading.reported && used >= amountAt(included, percent));
  let progress = begin(license, now);
  for (const percent of reached) {
    const reported = fire(progress, 'reach_meter', { details: { meter: { name, used, included, percent } } });
    if (!isFailure(reported)) progress = reported;
  }
  return {
    write: { reading, used, reported: Math.max(reading.reported, ...reached), fits: 'as read' },
    transition: transitionOf(progress),
  };
}

/** Consumes an amount, or gives it back if it is negative. */
export function consumeAmount(license: License, reading: Reading, amount: number, now: number): Failure | MeterDecision {
  const { terms, used, reported } = reading;
  if (amount < 0 && !terms.returnable)
    return fail('invalid_request', `amount must not be negative: the meter ${terms.name} is not returnable`);
  if (amount > MAX_USED - used) return fail('invalid_request', `amount leads past ${MAX_USED}`);
  if (amount > 0 && terms.overage === 'refuse' && amount > terms.included - used) {
    const { used: shown, included, resets_at } = meterView(reading, used);
    return fail('meter_exhausted', `The amount does not fit: used ${shown}, included ${included}, resets_at ${resets_at ?? 'null'}`);
  }
  const decision = write(license, reading, Math.max(0, used + amount), now);
  if (decision.transition || used + amount < 0) return decision;
  const next = thresholds
    .filter((percent) => terms.included > 0 && percent > reported)
    .map((percent) => amountAt(terms.included, percent) - 1);
  const most = Math.min(MAX_USED, ...(terms.overage === 'refuse' && amount > 0 ? [terms.included] : []), ...next);
  return { ...decision, write: { ...decision.write, fits: { from: Math.max(0, -amount), to: Math.min(MAX_USED, most - amount) } } };
}

/** Sets or changes what was consumed, for an operator. */
export function correctAmount(
  license: License,
  reading: Reading,
  { used, add }: { readonly used?: number | null | undefined; readonly add?: number | null | undefined },
  now: number,
): MeterDecision {
  const sum = BigInt(reading.used) + BigInt(add ?? 0);
  return write(license, reading, used ?? Math.max(0, sum > BigInt(MAX_USED) ? MAX_USED : Number(sum)), now);
}
