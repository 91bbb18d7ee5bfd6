import { AsyncLocalStorage } from 'node:async_hooks';
import { permissionsOf } from '../../infra/local/aws-calls';
import { partitions, writeActions, type Index, type ItemAction } from '../../lambdas/contract/access';
import { isAudited, type Endpoint } from '../../lambdas/contract/endpoint';
import { accessOf } from '../../lambdas/contract/endpoint-access';
import type { Table } from '../../lambdas/store/table';

/**
 * Makes a test fail if a handler accesses the table in a way that its contract row does not declare. The check runs in the process of the
 * test. In the local run and on AWS, the role of the handler's function enforces the same declarations.
 */

/**
 * The rows that a request may write in addition to its actual change: counters of ids, the audit log, the stored response, and the last use
 * of a token or a session.
 */
const bookkeeping = [partitions.counter, partitions.audit, partitions.idempotency, partitions.tokenList, partitions.portalSession];

interface Run {
  readonly row: Endpoint;
  /** Whether the request changed rows other than the bookkeeping rows. */
  wrote: boolean;
  /** Whether the request wrote an entry of the audit log. */
  audited: boolean;
}
const running = new AsyncLocalStorage<Run>();

/** Runs the handler of a contract row. Fails if a write of an operator was executed without an entry in the audit log. */
export async function runAs<Result extends { readonly statusCode: number }>(row: Endpoint, handle: () => Promise<Result>): Promise<Result> {
  const run: Run = { row, wrote: false, audited: false };
  const result = await running.run(run, handle);
  if (isAudited(row) && result.statusCode < 300 && run.wrote && !run.audited)
    throw new Error(`${row.name} changed the table and left no entry in the audit log`);
  return result;
}

function isDeclared(row: Endpoint, action: string, resource: string, keys: readonly string[]): boolean {
  const { store } = accessOf(row);
  const [, index] = /\/index\/(\w+)$/.exec(resource) ?? [];
  if (index !== undefined) return action === 'Query' && (store.indexes ?? []).includes(index as Index);
  const prefixes = (store[action as ItemAction] ?? []).map((partition) => partitions[partition]);
  return keys.length > 0 && keys.every((key) => prefixes.some((prefix) => key.startsWith(prefix)));
}

/**
 * Checks the table calls of a client. If a handler makes a call that its contract row does not declare, the call fails. Calls that the test
 * makes outside a handler are not restricted.
 */
export function holdToDeclarations(client: Table['client']): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const run = running.getStore();
      const row = run?.row;
      const { headers, body } = args.request as { headers: Record<string, string>; body: string };
      for (const { action, resource, context } of row
        ? permissionsOf('dynamodb', {
            target: headers['x-amz-target'] ?? '',
            body,
          })
        : []) {
        const keys = [context['dynamodb:LeadingKeys'] ?? []].flat();
        if (run && writeActions.some((name) => action === `dynamodb:${name}`)) {
          run.audited ||= keys.some((key) => key.startsWith(partitions.audit));
          run.wrote ||= keys.some((key) => !bookkeeping.some((prefix) => key.startsWith(prefix)));
        }
        if (row && !isDeclared(row, action.replace('dynamodb:', ''), resource, keys)) {
          throw Object.assign(new Error(`${row.name} does not declare ${action} on ${resource} (${keys.join()})`), {
            name: 'AccessDeniedException',
            $metadata: { httpStatusCode: 400 },
          });
        }
      }
      return next(args);
    },
    { step: 'finalizeRequest', name: 'holdToDeclarations', priority: 'high' },
  );
}
