import type { Table } from '../../lambdas/store/table';

/** Simulates network faults between the service and its table, in the middleware of the client. */

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

/** Drops the first response to every call of a command, so that the client repeats the call automatically. */
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

/** Makes all calls fail for which a condition is true. */
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
 * Simulates that a function dies right before its `at`-th call of another service: that call and all later calls fail. A test need not
 * simulate a death right after a call, because it has the same effect as a death right before the next call.
 *
 * With `counted` "writes", only calls that may change the table are counted. A death before a read would leave the same table as a death
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
