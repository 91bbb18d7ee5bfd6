import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum time, in ms, that a call waits for further items. */
const GATHER_MS = 10;
/** Interval, in ms, at which a waiting call checks whether further items are still expected. */
const CHECK_MS = 2;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Turns a function of many items into a function of a single item. An item that arrives while `run` is not in progress starts a call of
 * `run`. Items that arrive during a call are combined into the next call, so a busy function makes fewer and larger calls. Before a call,
 * the function waits for further items only while `isMoreExpected` returns true, and only for some milliseconds.
 *
 * @param most maximum number of items in one call
 * @param run returns a result or a promise of a result for each item, in the order of the items; if `run` throws, the calls for all items
 * of the batch throw
 * @param isMoreExpected whether further items will probably arrive soon
 */
export function batched<Item, Result>(
  most: number,
  run: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
  isMoreExpected: () => boolean = () => false,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = false;

  const runAll = async (): Promise<void> => {
    underWay = true;
    while (waiting.length > 0) {
      for (let waited = 0; waited < GATHER_MS && waiting.length < most && isMoreExpected(); waited += CHECK_MS) await sleep(CHECK_MS);
      const batch = waiting.splice(0, most);
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
