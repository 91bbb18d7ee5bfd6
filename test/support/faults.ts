import type { Table } from '../../lambdas/store/table';

/** What goes wrong between the service and its table, put into the client where the network is. */

/** Counts the calls, by the name of the command. */
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

/** Loses the first answer to every call of a command, so that the client makes it again, as it does by itself. */
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

/** Makes calls fail that meet a condition. */
export function failWhere(client: Table['client'], condition: (command: string, input: object) => boolean): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) =>
        condition(commandName, args.input) ? Promise.reject(new Error('The table fails')) : next(args),
    { step: 'initialize', priority: 'high' },
  );
}
