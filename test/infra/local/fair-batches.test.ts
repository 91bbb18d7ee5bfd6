import fc from 'fast-check';
import { FairBatches } from '../../../infra/local/fair-batches';

/** A product whose receiver hangs must not delay the events of other products. */

interface Message {
  readonly id: number;
  readonly group: string | undefined;
}

const batches = (slots: number, batchSize = 10, windowMs = 0) =>
  new FairBatches<Message>({ groupOf: ({ group }) => group, slots, batchSize, windowMs });

test('several groups that hang leave a slot to each group without a running batch', () => {
  const waiting = batches(8);
  let id = 0;
  const flood = (group: string) => Array.from({ length: 500 }, () => waiting.add({ id: (id += 1), group }, 0));
  const held: Record<string, number> = {};
  for (const group of ['a', 'b', 'c', 'd']) {
    flood(group);
    for (let batch = waiting.take(0); batch; batch = waiting.take(0)) held[String(batch.group)] = (held[String(batch.group)] ?? 0) + 1;
  }
  expect(held).toEqual({ a: 4, b: 2, c: 1, d: 1 });
});

test('messages without a group may use every slot, in separate batches', () => {
  const waiting = batches(3);
  for (let id = 0; id < 100; id += 1) waiting.add({ id, group: undefined }, 0);
  waiting.add({ id: 100, group: 'a' }, 0);
  expect([waiting.take(0), waiting.take(0), waiting.take(0), waiting.take(0)].map((batch) => batch?.messages.length)).toEqual([
    10,
    1,
    10,
    undefined,
  ]);
});

test('a batch starts when it is full or its window has ended', () => {
  const waiting = batches(4, 2, 100);
  waiting.add({ id: 1, group: 'a' }, 0);
  expect(waiting.take(99)).toBeUndefined();
  waiting.add({ id: 2, group: 'a' }, 99);
  expect(waiting.take(99)?.messages.map(({ id }) => id)).toEqual([1, 2]);
  waiting.add({ id: 3, group: 'a' }, 99);
  expect(waiting.take(198)).toBeUndefined();
  expect(waiting.take(199)?.messages.map(({ id }) => id)).toEqual([3]);
});

test("with any order of events no message is lost or delivered twice, each group's messages stay in order, and no more slots are used than exist", () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c', undefined) },
    { weight: 3, arbitrary: fc.constant('take' as const) },
    { weight: 2, arbitrary: fc.constant('done' as const) },
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 300 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 4 }),
      (steps, slots, batchSize) => {
        const waiting = batches(slots, batchSize);
        const given = new Map<string | undefined, number[]>();
        const running: NonNullable<ReturnType<typeof waiting.take>>[] = [];
        let added = 0;
        const take = (): boolean => {
          const batch = waiting.take(0);
          if (!batch) return false;
          running.push(batch);
          expect(running.length).toBeLessThanOrEqual(slots);
          expect(batch.messages.length).toBeLessThanOrEqual(batchSize);
          expect(batch.messages.every(({ group }) => group === batch.group)).toBe(true);
          given.set(batch.group, [...(given.get(batch.group) ?? []), ...batch.messages.map(({ id }) => id)]);
          return true;
        };
        for (const one of steps) {
          if (one === 'take') take();
          else if (one === 'done') running.splice(0, 1).forEach((batch) => waiting.done(batch));
          else waiting.add({ id: (added += 1), group: one }, 0);
        }
        expect(waiting.size).toBe([...waiting.waiting()].length);
        // The remaining messages are delivered when slots become free.
        do running.splice(0).forEach((batch) => waiting.done(batch));
        while (take());
        for (const ids of given.values()) expect(ids).toEqual([...ids].sort((a, b) => a - b));
        expect([...given.values()].flat().length).toBe(added);
        expect(waiting.size).toBe(0);
      },
    ),
  );
});
