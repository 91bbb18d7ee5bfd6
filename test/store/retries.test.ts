import { productKey } from '../../lambdas/store/keys';
import { getItems } from '../../lambdas/store/items';
import { backoff, isTransient, retryTransient, RETRY_BUDGET_MS, StoreUnavailable, type Table } from '../../lambdas/store/table';
import * as faults from '../support/intercept';

/**
 * Tests when the store repeats a failed call, how long it waits before the repetition, and when it stops repeating the call. These tests
 * need no table.
 */

/** A table whose clock advances only during waits, and whose random bytes are given. `slept` contains the durations of the waits in ms. */
function waiting(chance: readonly number[] = [0, 0]): { table: Table; slept: number[] } {
  const slept: number[] = [];
  let now = 0;
  const sleep = (ms: number): Promise<void> => {
    slept.push(ms);
    now += ms;
    return Promise.resolve();
  };
  return {
    table: {
      clock: () => now,
      realClock: () => now,
      sleep,
      random: () => Uint8Array.from(chance),
      callLimitMs: Number.POSITIVE_INFINITY,
    } as unknown as Table,
    slept,
  };
}

const named = (name: string, status = 400): Error => Object.assign(new Error(name), { name, $metadata: { httpStatusCode: status } });

describe('waits between tries', () => {
  test.each([
    ['the maximum', [255, 255], 1],
    ['half of the maximum', [128, 0], 0.5],
    ['slightly more than zero', [0, 1], 1 / 65_536],
    ['zero', [0, 0], 0],
  ])(
    'have maximums that double from 10 ms to 320 ms, to relieve a busy table; a wait is random, here %s, so that colliding requests diverge',
    async (_much, chance, share) => {
      const { table, slept } = waiting(chance);
      for (let attempt = 0; attempt < 9; attempt += 1) await backoff(table, attempt, Number.POSITIVE_INFINITY);
      for (const [place, ceiling] of [10, 20, 40, 80, 160, 320, 320, 320, 320].entries()) {
        expect(slept[place]! / ceiling).toBeCloseTo(share, 4);
        expect(slept[place]).toBeLessThan(ceiling);
      }
      expect(slept).toHaveLength(9);
    },
  );
});

test('a wait is at most a sixteenth of the time that is left, so that in a crowd those that have waited longest are served first', async () => {
  const { table, slept } = waiting([255, 255]);
  for (const left of [5000, 1600, 320, 0]) await backoff(table, 5, table.realClock() + left);
  expect(slept.map(Math.round)).toEqual([312, 100, 20, 20]);
});

test('a call that fails repeatedly waits longer each time', async () => {
  const { table, slept } = waiting([255, 255]);
  let calls = 0;
  await retryTransient(table, () => ((calls += 1) < 5 ? Promise.reject(faults.throttled()) : Promise.resolve()));
  expect(slept.map(Math.round)).toEqual([10, 20, 40, 80]);
});

describe('a request is not refused because of a temporary fault', () => {
  test.each([
    'TransactionConflictException',
    'TransactionInProgressException',
    'ThrottlingException',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'TimeoutError',
    'RequestTimeout',
  ])('%s', (name) => expect(isTransient(named(name))).toBe(true));

  test.each(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND'])('the network says %s', (code) =>
    expect(isTransient(Object.assign(new Error(), { code }))).toBe(true),
  );

  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'] as const)(
    'a transaction was cancelled because of %s for one of its actions',
    (code) => {
      expect(isTransient(faults.cancelled(code, 3, 2))).toBe(true);
      expect(isTransient(faults.cancelledFor(['ConditionalCheckFailed', code]))).toBe(true);
    },
  );

  test.each([500, 503])('the table answers %i', (status) => expect(isTransient(named('Unheard', status))).toBe(true));
});

describe('a mistake in a request is reported at once, not after five seconds', () => {
  test.each(['ValidationException', 'AccessDeniedException', 'ResourceNotFoundException', 'ConditionalCheckFailedException'])(
    '%s',
    (name) => expect(isTransient(named(name))).toBe(false),
  );
  test('an unknown refusal', () => expect(isTransient(named('Unheard', 499))).toBe(false));
  test('a condition that failed', () => expect(isTransient(faults.cancelledFor(['None', 'ConditionalCheckFailed']))).toBe(false));
  test('an error without a message, or something that is not an error', () => {
    for (const error of [new Error('said'), 'TimeoutError', undefined, { name: 'TimeoutError' }]) expect(isTransient(error)).toBe(false);
  });

  test('the call is sent once', async () => {
    const { table, slept } = waiting();
    let calls = 0;
    const mistake = named('ValidationException');
    await expect(retryTransient(table, () => Promise.reject(((calls += 1), mistake)))).rejects.toBe(mistake);
    expect([calls, slept.length]).toEqual([1, 0]);
  });
});

describe('the store gives up', () => {
  /** Tries a call whose first try fails at the time `until`. Returns the number of tries, and the error with which the store gave up. */
  async function tried(until: number): Promise<{ calls: number; error?: unknown }> {
    let now = 0;
    let calls = 0;
    const table = { ...waiting().table, realClock: () => now };
    const call = async (): Promise<void> => {
      calls += 1;
      if (now < until) {
        now = until;
        throw faults.throttled();
      }
    };
    const error: unknown = await retryTransient(table, call).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { calls, ...(error !== undefined && { error }) };
  }

  test('not even a millisecond before five seconds are over', async () => {
    expect(RETRY_BUDGET_MS).toBe(5000);
    expect(await tried(4999)).toEqual({ calls: 2 });
  });

  test('after five seconds, with the error of the last call', async () => {
    const { calls, error } = await tried(5000);
    expect(calls).toBe(1);
    expect(error).toBeInstanceOf(StoreUnavailable);
    // The error has the name that the log shows.
    expect(error).toMatchObject({ name: 'StoreUnavailable', message: expect.stringMatching(/\w/) as string });
    expect((error as Error).cause).toMatchObject({ name: 'ThrottlingException' });
  });

  test.each([
    [4999, 2],
    [5000, 1],
  ])(
    'in the same way on keys that BatchGetItem leaves unprocessed: if the first call takes %i ms, there are %i calls',
    async (later, calls) => {
      let now = 0;
      let sent = 0;
      const send = (): Promise<unknown> => {
        sent += 1;
        now = sent === 1 ? later : 5000;
        // If the store repeats the call, this response ends the repetition, so that the test fails instead of hanging.
        return Promise.resolve(
          sent > 2 ? {} : { UnprocessedKeys: { table: { Keys: [{ pk: { S: 'PRODUCT#1' }, sk: { S: 'PRODUCT' } }] } } },
        );
      };
      const table = { ...waiting().table, realClock: () => now, name: 'table', client: { send } } as unknown as Table;
      await expect(getItems(table, [productKey(1)])).rejects.toThrow(StoreUnavailable);
      expect(sent).toBe(calls);
    },
  );
});
