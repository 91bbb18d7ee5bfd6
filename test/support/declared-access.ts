import { AsyncLocalStorage } from 'node:async_hooks';
import { tablePermissions } from '../../infra/local/aws-calls';
import { partitions, writeActions, type Index, type ItemAction, type StoreAccess } from '../../lambdas/contract/access';
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

const declared = new Map<Endpoint, StoreAccess>();
/** The access to the table that a contract row declares. It is computed once, because every call to the table is checked. */
function storeAccessOf(row: Endpoint): StoreAccess {
  const access = declared.get(row) ?? accessOf(row).store;
  declared.set(row, access);
  return access;
}

function isDeclared(row: Endpoint, action: string, resource: string, keys: readonly string[]): boolean {
  const store = storeAccessOf(row);
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
    (next, { commandName = '' }) =>
      (args) => {
        const run = running.getStore();
        if (!run) return next(args);
        // The input has the same structure as the body, so the body isn't parsed.
        for (const { action, resource, context } of tablePermissions(commandName.replace(/Command$/, ''), args.input)) {
          const keys = [context['dynamodb:LeadingKeys'] ?? []].flat();
          const name = action.replace('dynamodb:', '');
          if (writeActions.some((write) => write === name)) {
            run.audited ||= keys.some((key) => key.startsWith(partitions.audit));
            run.wrote ||= keys.some((key) => !bookkeeping.some((prefix) => key.startsWith(prefix)));
          }
          if (!isDeclared(run.row, name, resource, keys)) {
            throw Object.assign(new Error(`${run.row.name} does not declare ${action} on ${resource} (${keys.join()})`), {
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
