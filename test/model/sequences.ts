import fc from 'fast-check';
import { ownTable } from '../support/own-table';
import type { Receiver } from '../support/receiver';
import { anyCommand, beginning, type Command } from './commands';
import { hold, type Runs } from './runs';
import { World, type Faults } from './world';

/** Random histories that are executed twice: by the service and by the specification. */

interface Sequence {
  readonly commands: readonly Command[];
  /** The faults that are injected into the requests; undefined for a sequence without faults. Faults must not change any result. */
  readonly faults: Faults | undefined;
  readonly expiringDays: number;
}

const sequence: fc.Arbitrary<Sequence> = fc.record({
  faults: fc.option(fc.record({ seed: fc.noShrink(fc.nat()), rate: fc.constantFrom(0.05, 0.2) }), { nil: undefined, freq: 2 }),
  expiringDays: fc.constantFrom(0, 14),
  commands: fc.tuple(beginning, fc.array(anyCommand, { maxLength: 50, size: 'max' })).map((parts) => parts.flat()),
});

const show = ({ commands, ...rest }: Sequence): string[] => [JSON.stringify(rest), ...commands.map(String)];

/** The number of executed operations, in total and by kind. */
export interface Played {
  sequences: number;
  commands: number;
  requests: number;
  events: number;
  faults: number;
  /** How often each endpoint responded with each status or error code. */
  readonly outcomes: Map<string, number>;
}

/** Runs sequences, each with its own table. */
export async function playSequences(runs: Runs, receiver: Receiver): Promise<Played> {
  const played: Played = { sequences: 0, commands: 0, requests: 0, events: 0, faults: 0, outcomes: new Map() };
  await hold('model/sequences', runs, sequence, show, async ({ commands, faults, expiringDays }) => {
    const world = new World(await ownTable(), receiver, faults, expiringDays);
    try {
      for (const command of commands) await command.run(world);
      await world.finish();
      played.sequences += 1;
      played.commands += commands.length;
      played.requests += world.requests;
      played.events += world.spec.events.size;
      played.faults += world.faults.count;
      for (const [outcome, count] of world.outcomes) played.outcomes.set(outcome, (played.outcomes.get(outcome) ?? 0) + count);
    } catch (error) {
      if (error instanceof Error) error.message = `${error.message}\n\nWhat was done:\n  ${world.trace.join('\n  ')}\n`;
      throw error;
    } finally {
      world.close();
    }
  });
  return played;
}
