import { tablePermissions } from './permissions';
import { partitions, writeActions, type Index, type ItemAction, type StoreAccess } from '../../lambdas/contract/access';
import { isAudited, type Endpoint } from '../../lambdas/contract/endpoint';
import { accessOf } from '../../lambdas/contract/endpoint-access';
import type { Worker } from '../../lambdas/contract/workers';
import type { App } from '../../lambdas/runtime/app';
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
  readonly row: Endpoint | Worker;
  /** Whether the request changed rows other than the bookkeeping rows. */
  wrote: boolean;
  /** Whether the request wrote an entry of the audit log. */
  audited: boolean;
}

/**
 * Runs the handler of a contract row with an app whose table permits only the calls that the row declares. Fails if a write of an operator
 * was executed without an entry in the audit log.
 */
export async function runAs<Result extends { readonly statusCode: number }>(
  row: Endpoint,
  app: App,
  handle: (app: App) => Promise<Result>,
): Promise<Result> {
  const run: Run = { row, wrote: false, audited: false };
  const result = await handle(restricted(app, run));
  if (isAudited(row) && result.statusCode < 300 && run.wrote && !run.audited)
    throw new Error(`${row.name} changed the table and left no entry in the audit log`);
  return result;
}

/** The same app, whose table permits only the calls that the worker's row of the contract declares. */
export const asWorker = (worker: Worker, app: App): App => restricted(app, { row: worker, wrote: false, audited: false });

/** The same app for one request, whose table checks each call. */
function restricted(app: App, run: Run): App {
  return {
    // Spreading the app would read its table, which fails if the app has no table.
    config: app.config,
    secrets: app.secrets,
    products: app.products,
    tokens: app.tokens,
    releases: app.releases,
    portals: app.portals,
    paused: app.paused,
    refusalWaitMs: app.refusalWaitMs,
    clock: app.clock,
    realClock: app.realClock,
    random: app.random,
    send: app.send,
    files: app.files,
    sendMail: app.sendMail,
    get table() {
      const { table } = app;
      return { ...table, client: restrictedClient(table.client, run) };
    },
    within: (limits) => restricted(app.within(limits), run),
    recording: (audit) => restricted(app.recording(audit), run),
  };
}

type Client = Table['client'];

const restrictedClient = (client: Client, run: Run): Client => ({
  middlewareStack: client.middlewareStack,
  send: async (command: { readonly input: object }) => {
    check(run, command);
    return client.send(command as never);
  },
});

const declared = new Map<Endpoint | Worker, StoreAccess>();
/** The access to the table that a contract row declares. It is computed once, because every call to the table is checked. */
function storeAccessOf(row: Endpoint | Worker): StoreAccess {
  const access = declared.get(row) ?? ('credential' in row ? accessOf(row) : row).store;
  declared.set(row, access);
  return access;
}

function isDeclared(row: Endpoint | Worker, action: string, resource: string, keys: readonly string[]): boolean {
  const store = storeAccessOf(row);
  const [, index] = /\/index\/(\w+)$/.exec(resource) ?? [];
  if (index !== undefined) return action === 'Query' && (store.indexes ?? []).includes(index as Index);
  const prefixes = (store[action as ItemAction] ?? []).map((partition) => partitions[partition]);
  return keys.length > 0 && keys.every((key) => prefixes.some((prefix) => key.startsWith(prefix)));
}

/** Fails if the contract row does not declare a call to the table, and notes what the call writes. */
function check(run: Run, command: { readonly input: object }): void {
  // A low-level command's input has the same structure as the request's body.
  for (const { action, resource, context } of tablePermissions(command.constructor.name.replace(/Command$/, ''), command.input)) {
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
}
