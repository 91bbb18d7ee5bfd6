/** Alternates measurements that are compared with each other, so that other programs on the machine affect all of them equally. */

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Runs each measurement once per round, and returns its results of all rounds. The first round warms up and is not counted. */
export async function inTurns<Name extends string, Value>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<Value>>>,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(measures) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  for (let round = 0; round <= rounds; round += 1) {
    // Every second round runs in reverse order. Otherwise each measurement would follow the same measurement in every round.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const value = await measures[name]();
      if (round > 0) found[name].push(value);
    }
  }
  return found;
}

/** The medians of the results of {@link inTurns}. */
export async function medians<Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  const found = await inTurns(rounds, measures);
  return Object.fromEntries(Object.entries<number[]>(found).map(([name, values]) => [name, median(values)])) as Record<Name, number>;
}
