import { batched } from '../../../lambdas/runtime/batched';

/**
 * Many deliveries share few writes. No delivery may get the result of another delivery, wait forever, or fail because another delivery has
 * a fault.
 */

interface Run {
  readonly items: readonly string[];
  finish(): void;
}

/** A batch function whose calls wait until the test lets them finish. */
function held(most: number, resultOf: (item: string) => string | Promise<string> = (item) => item.toUpperCase()) {
  const runs: Run[] = [];
  const call = batched(
    most,
    (items: readonly string[]) =>
      new Promise<readonly (string | Promise<string>)[]>((resolve) => runs.push({ items, finish: () => resolve(items.map(resultOf)) })),
  );
  return { runs, call };
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a single item does not wait for others', () => {
  const { runs, call } = held(10);
  void call('a');
  expect(runs.map(({ items }) => items)).toEqual([['a']]);
});

test('items that arrive meanwhile are sent together, in their order, and each gets its own result', async () => {
  const { runs, call } = held(3);
  const results = Promise.all(['a', 'b', 'c', 'd', 'e'].map(call));
  for (let place = 0; place < 3; place += 1) {
    runs[place]?.finish();
    await settled();
  }
  expect(runs.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
  expect(await results).toEqual(['A', 'B', 'C', 'D', 'E']);
});

test('an item waits shortly for expected items, and is sent even if none arrives', async () => {
  const runs: (readonly string[])[] = [];
  let expected = 3;
  const call = batched(
    10,
    (items: readonly string[]) => (runs.push(items), Promise.resolve(items)),
    () => expected > 0,
  );
  const arrive = (item: string): Promise<string> => ((expected -= 1), call(item));
  const first = arrive('a');
  await settled();
  expect(await Promise.all([first, arrive('b'), arrive('c')])).toEqual(['a', 'b', 'c']);
  expect(runs).toEqual([['a', 'b', 'c']]);
  expected = 2;
  expect(await arrive('d')).toBe('d');
});

test('a failed batch only affects its own items, and the next one is sent', async () => {
  let calls = 0;
  const call = batched(10, (items: readonly string[]) => ((calls += 1) === 2 ? Promise.reject(new Error('lost')) : Promise.resolve(items)));
  expect((await Promise.allSettled([call('a'), call('b'), call('c')])).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect(await call('d')).toBe('d');
});

test('an item that fails in its batch fails alone', async () => {
  const { runs, call } = held(10, (item) => (item === 'b' ? Promise.reject(new Error('refused')) : item));
  const results = Promise.allSettled(['x', 'a', 'b', 'c'].map(call));
  runs[0]?.finish();
  await settled();
  runs[1]?.finish();
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});
