import { AsyncLocalStorage } from 'node:async_hooks';
import { permissionsOf } from '../../infra/local/aws-calls';
import { partitions, type Index, type ItemAction } from '../../lambdas/contract/access';
import type { Endpoint } from '../../lambdas/contract/endpoint';
import type { Table } from '../../lambdas/store/table';

/** What a handler may do to the table, held to in the test's own process as the local run and AWS hold it to its role. */

const running = new AsyncLocalStorage<Endpoint>();

/** Runs a row's handler. */
export const runAs = <Result>(row: Endpoint, handle: () => Promise<Result>): Promise<Result> => running.run(row, handle);

function isDeclared({ store }: Endpoint, action: string, resource: string, keys: readonly string[]): boolean {
  const [, index] = /\/index\/(\w+)$/.exec(resource) ?? [];
  if (index !== undefined) return action === 'Query' && (store.indexes ?? []).includes(index as Index);
  const prefixes = (store[action as ItemAction] ?? []).map((partition) => partitions[partition]);
  return keys.length > 0 && keys.every((key) => prefixes.some((prefix) => key.startsWith(prefix)));
}

/** Refuses calls of a handler that its row does not declare. Calls that a test makes itself are its own affair. */
export function holdToDeclarations(client: Table['client']): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const row = running.getStore();
      const { headers, body } = args.request as { headers: Record<string, string>; body: Uint8Array };
      for (const { action, resource, context } of row ? permissionsOf('dynamodb', { target: headers['x-amz-target'] ?? '', body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() }) : []) {
        const keys = [context['dynamodb:LeadingKeys'] ?? []].flat();
        if (row && !isDeclared(row, action.replace('dynamodb:', ''), resource, keys)) {
          throw Object.assign(new Error(`${row.name} does not declare ${action} on ${resource} (${keys.join()})`), { name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } });
        }
      }
      return next(args);
    },
    { step: 'finalizeRequest', name: 'holdToDeclarations', priority: 'high' },
  );
}
