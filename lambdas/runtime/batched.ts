interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Turns a function of many items into a function of a single item. The first call runs at once; calls that arrive while it runs are
 * combined into the next call. A busy function then makes fewer and larger calls, and an idle function never waits.
 *
 * @param most maximum number of items in one call
 * @param run returns a result or a promise of a result for each item, in the order of the items; if it fails, all of its items fail
 */
export function batched<Item, Result>(
  most: number,
  run: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = false;

  const runAll = async (): Promise<void> => {
    underWay = true;
    for (let batch = waiting.splice(0, most); batch.length > 0; batch = waiting.splice(0, most)) {
      try {
        const results = await run(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => resolve(results[index] as Result | Promise<Result>));
      } catch (error) {
        batch.forEach(({ reject }) => reject(error));
      }
    }
    underWay = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!underWay) void runAll();
    });
}
