/** Measures that stand side by side: what is compared runs in turns, so that other work of the machine affects all alike. */

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Runs each measure once a round, in turns, and gives what each came to in each round; the first round warms up and is not counted. */
export async function inTurns<Name extends string, Value>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<Value>>>,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(measures) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  for (let round = 0; round <= rounds; round += 1) {
    // Backwards every other time, so that none always follows the same one.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const value = await measures[name]();
      if (round > 0) found[name].push(value);
    }
  }
  return found;
}

/** The medians of what {@link inTurns} gives. */
export async function medians<Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  const found = await inTurns(rounds, measures);
  return Object.fromEntries(Object.entries<number[]>(found).map(([name, values]) => [name, median(values)])) as Record<Name, number>;
}
