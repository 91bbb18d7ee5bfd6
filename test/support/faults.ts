import type { Table } from '../../lambdas/store/table';

/** Simulates network faults between the service and its table. The faults are injected in the middleware of the table's client. */

/** Counts the calls of a client, by the name of the command. */
export function countCalls(client: Table['client']): Record<string, number> {
  const calls: Record<string, number> = {};
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        calls[commandName] = (calls[commandName] ?? 0) + 1;
        return next(args);
      },
    { step: 'initialize', priority: 'high' },
  );
  return calls;
}

/**
 * Simulates that the first response to every call of the given commands is lost and that the client then repeats the call: each call is
 * executed twice, and the caller gets the second response.
 */
export function loseAnswers(client: Table['client'], ...commands: readonly string[]): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (commands.includes(commandName)) await next(args).catch(() => undefined);
        return next(args);
      },
    { step: 'initialize', priority: 'low' },
  );
}

/** Makes a call fail if `condition` is true for it. */
export function failWhere(client: Table['client'], condition: (command: string, input: object) => boolean): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) =>
        condition(commandName, args.input) ? Promise.reject(new Error('The table fails')) : next(args),
    { step: 'initialize', priority: 'high' },
  );
}

/** The commands that change nothing. */
const READS = /^(GetItem|BatchGetItem|TransactGetItems|Query|Scan)Command$/;

/**
 * Simulates that a function crashes right before its `at`-th call of another service: that call and all later calls fail. Tests need not
 * simulate a crash right after a call, because a crash right before the next call has the same effect.
 *
 * If `counted` is "writes", reads of the table are not counted, because a crash before a read leaves the table in the same state as a crash
 * before the next write.
 */
export class Fuse {
  calls = 0;

  constructor(
    private readonly at: number,
    private readonly counted: 'calls' | 'writes' = 'calls',
  ) {}

  async burn<Result>(call: () => Promise<Result>): Promise<Result> {
    this.calls += 1;
    if (this.calls >= this.at) throw new Error('The function died');
    return call();
  }

  putInto(client: Table['client']): void {
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) =>
          this.calls < this.at && this.counted === 'writes' && READS.test(commandName) ? next(args) : this.burn(() => next(args)),
      { step: 'initialize', priority: 'high' },
    );
  }
}
